const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escape(text) {
  return String(text).replaceAll(/[&<>"]/g, (character) => ENTITIES[character]);
}

/** The plain text of HTML that this site has made. */
export function textOf(html) {
  return html
    .replaceAll(/<\/?(?:p|pre|div|li|td|th|tr|span class="tag[^"]*")\b[^>]*>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(?:x([0-9a-f]+)|(\d+));/gi, (_all, hex, decimal) =>
      String.fromCodePoint(Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16)),
    )
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
