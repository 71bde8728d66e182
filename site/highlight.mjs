import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import { escape } from './html.mjs';

hljs.registerLanguage('bash', bash);
hljs.registerLanguage('javascript', javascript);
hljs.registerLanguage('json', json);
hljs.registerLanguage('typescript', typescript);
hljs.registerLanguage('yaml', yaml);
hljs.registerAliases(['sh', 'shell', 'console'], { languageName: 'bash' });

/** Code as HTML with a class for each kind of word; other languages are left plain. */
export function highlight(code, language) {
  return language !== '' && hljs.getLanguage(language) !== undefined
    ? hljs.highlight(code, { language, ignoreIllegals: true }).value
    : escape(code);
}
