// Watches the events that a client is sent, under its own reading: each id once, and those of one stream in order.

/** Event ids as Redis writes them; `0` is the beginning of a stream, before all of its events. */
const POSITION = /^(.*)_(?:0|(\d+)-(\d+))$/;

export function watchingFetch(onviolation) {
  const last = new Map();
  let seen = 0;
  const onid = (id) => {
    const [, stream, ms = 0, count = 0] = POSITION.exec(id) ?? [];
    if (stream === undefined) return onviolation(`An event has the id ${id}.`);
    seen += 1;
    const before = last.get(stream);
    if (before && (Number(ms) < before[0] || (Number(ms) === before[0] && Number(count) <= before[1])))
      onviolation(`The event ${id} came after ${before.join('-')} of its stream.`);
    last.set(stream, [Number(ms), Number(count)]);
  };
  const fetchWatched = async (url, init) => {
    const response = await fetch(url, init);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) return response;
    let rest = '';
    const decoder = new TextDecoder();
    const watched = response.body.pipeThrough(
      new TransformStream({
        transform(chunk, controller) {
          controller.enqueue(chunk);
          const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
          rest = lines.pop();
          for (const line of lines) if (line.startsWith('id: ')) onid(line.slice(4));
        },
      }),
    );
    return new Response(watched, { status: response.status, headers: response.headers });
  };
  return { fetch: fetchWatched, count: () => seen };
}
