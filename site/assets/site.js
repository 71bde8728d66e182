// Search, the menu of small screens, and a stop for the keyboard only where something scrolls. Everything else works without it.
(() => {
  const root = document.documentElement;
  root.classList.add('scripted');

  const menu = document.querySelector('.menu');
  const pages = document.querySelector('#pages');
  menu.hidden = false;
  menu.addEventListener('click', () => {
    const isOpen = pages.classList.toggle('open');
    menu.setAttribute('aria-expanded', String(isOpen));
  });

  const holders = document.querySelectorAll('pre, .scroll');
  const measure = () => {
    for (const holder of holders) {
      if (holder.scrollWidth > holder.clientWidth) holder.tabIndex = 0;
      else holder.removeAttribute('tabindex');
    }
  };
  measure();
  addEventListener('resize', measure);
  document.querySelector('#pages [aria-current]')?.scrollIntoView({ block: 'nearest' });

  const form = document.querySelector('.search');
  const field = document.querySelector('#query');
  const panel = document.querySelector('#found');
  const status = panel.querySelector('p');
  const list = panel.querySelector('ol');
  const base = root.dataset.root;
  const SHOWN = 12;
  let loading;
  form.hidden = false;

  function load(name) {
    return new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `${base}assets/${name}`;
      script.onload = resolve;
      script.onerror = () => reject(new Error(`${name} could not be loaded.`));
      document.head.append(script);
    });
  }

  /** Ranks explanations before lists of names. */
  const boostDocument = (_id, _term, { section }) => (section === 'Reference' ? 0.5 : section === 'Project' ? 0.7 : 1);

  function index() {
    loading ??= Promise.all([load('minisearch.js'), load('search-index.js')]).then(() =>
      window.MiniSearch.loadJS(window.crosspointSearch, {
        fields: ['heading', 'title', 'text'],
        storeFields: ['heading', 'title', 'section', 'address', 'start'],
        searchOptions: {
          prefix: true,
          fuzzy: 0.15,
          combineWith: 'AND',
          boost: { heading: 4, title: 2 },
          boostDocument,
        },
      }),
    );
    return loading;
  }

  function entry({ heading, title, section, address, start }) {
    const item = document.createElement('li');
    const link = document.createElement('a');
    const name = document.createElement('strong');
    const place = document.createElement('small');
    link.href = base + address;
    name.textContent = heading;
    place.textContent = `${heading === title ? section : `${section} · ${title}`}${start === '' ? '' : `: ${start}`}`;
    link.append(name, place);
    item.append(link);
    return item;
  }

  async function search() {
    const words = field.value.trim();
    if (words === '') {
      panel.hidden = true;
      return;
    }
    let found = [];
    try {
      found = (await index()).search(words);
    } catch {
      status.textContent = 'The search index could not be loaded.';
    }
    if (field.value.trim() !== words) return;
    list.replaceChildren(...found.slice(0, SHOWN).map(entry));
    status.textContent =
      found.length === 0
        ? `Nothing found for “${words}”.`
        : `${found.length} ${found.length === 1 ? 'place' : 'places'}, the best first.`;
    panel.hidden = false;
  }

  const close = () => {
    panel.hidden = true;
  };
  /** Moves the focus through the field and the results. */
  function step(by) {
    const stops = [field, ...list.querySelectorAll('a')];
    const at = stops.indexOf(document.activeElement);
    stops[Math.min(Math.max(at + by, 0), stops.length - 1)].focus();
  }

  field.addEventListener('focus', () => void index().catch(() => {}), { once: true });
  field.addEventListener('input', () => void search());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      step(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Escape') {
      close();
      field.focus();
    }
  });
  list.addEventListener('click', close);
  form.addEventListener('focusout', (event) => {
    if (!form.contains(event.relatedTarget) && event.relatedTarget !== null) close();
  });
  document.addEventListener('click', (event) => {
    if (!form.contains(event.target)) close();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.closest('input, textarea, select') !== null) return;
    event.preventDefault();
    field.focus();
  });
})();
