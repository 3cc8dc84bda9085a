'use strict';
// Filters and deep links. Everything on the page is there without it; texts are only ever read, never made into markup.
(() => {
  const form = document.getElementById('filters');
  const matches = document.getElementById('matches');
  const expand = document.getElementById('expand');
  const keys = ['q', 'v', 'l', 'g', 't'];
  const lower = (element) => element.textContent.toLowerCase();
  // A case that can be opened is found by its head: the transcripts of all cases have the same words in them.
  const cases = [...document.querySelectorAll('[data-v]')].map((element) => ({
    element,
    text: lower(element.querySelector('summary') ?? element),
  }));
  const requirements = [...document.querySelectorAll('[data-r]')].map((element) => ({ element, text: lower(element) }));
  const cells = [...document.querySelectorAll('a.cell')];
  const opened = new Set();

  const state = () => Object.fromEntries(keys.map((key) => [key, form.elements[key].value.trim()]));
  const isEmpty = (wanted) => keys.every((key) => wanted[key] === '');

  const apply = () => {
    const wanted = state();
    const words = wanted.q.toLowerCase().split(/\s+/).filter(Boolean);
    const says = (text) => words.every((word) => text.includes(word));
    const is = (key, value) => wanted[key] === '' || wanted[key] === value;
    let shown = 0;
    for (const { element, text } of cases) {
      const { v, l, g, t } = element.dataset;
      element.hidden = !(is('v', v) && is('l', l) && is('g', g) && is('t', t ?? '') && says(text));
      shown += element.hidden ? 0 : 1;
    }
    for (const { element, text } of requirements) {
      element.hidden = !(is('l', element.dataset.r) && says(text));
    }
    for (const cell of cells) {
      const place = document.getElementById(decoded(cell.hash.slice(1)));
      cell.classList.toggle('off', place?.closest('[data-v]')?.hidden ?? false);
    }
    const filtered = !isEmpty(wanted);
    for (const group of document.querySelectorAll('[data-counted]')) {
      const inside = [...group.querySelectorAll('[data-v], [data-r]')].filter((element) => !element.hidden).length;
      const number = group.querySelector('.n');
      const all = Number(number.dataset.n);
      const plain = 'onlyFiltered' in number.dataset ? '' : String(all);
      number.textContent = filtered && inside !== all ? `${inside} of ${all}` : plain;
      if ('group' in group.dataset) group.hidden = inside === 0;
      if (group.matches('details.list')) openIfFew(group, filtered && inside > 0 && inside <= 60);
    }
    matches.textContent = filtered
      ? `${shown} of ${cases.length} cases match. Requirements follow text and level only.`
      : '';
  };

  // What a filter opened is closed again with it; what the reader opened stays.
  const openIfFew = (list, few) => {
    if (few && !list.open) {
      list.open = true;
      opened.add(list);
    } else if (!few && opened.delete(list)) {
      list.open = false;
    }
  };

  const decoded = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };

  const remember = () => {
    const wanted = Object.entries(state()).filter(([, value]) => value !== '');
    const hash = wanted.length === 0 ? '' : `#?${new URLSearchParams(wanted)}`;
    history.replaceState(null, '', hash || location.pathname + location.search);
  };

  const set = (values) => {
    for (const key of keys) {
      const field = form.elements[key];
      field.value = values.get(key) ?? '';
      // A value that no option has would leave nothing selected.
      if (field.selectedIndex === -1) field.value = '';
    }
    apply();
  };

  const reveal = (id) => {
    const place = document.getElementById(id);
    if (!place) return;
    if (place.closest('[hidden]')) set(new URLSearchParams());
    for (let around = place.closest('details'); around; around = around.parentElement.closest('details')) {
      around.open = true;
    }
    const inside = place.matches('li') ? place.querySelector('details') : null;
    if (inside) inside.open = true;
    place.scrollIntoView();
    place.closest('details.case')?.querySelector('summary').focus({ preventScroll: true });
  };

  const follow = () => {
    if (location.hash.startsWith('#?')) set(new URLSearchParams(location.hash.slice(2)));
    else if (location.hash.length > 1) reveal(decoded(location.hash.slice(1)));
    // Back from a filtered view to the plain one.
    else set(new URLSearchParams());
  };

  const openAll = (open) => {
    for (const { element } of cases) {
      if (element.matches('details.case') && !element.hidden) element.open = open;
    }
    expand.setAttribute('aria-pressed', String(open));
    expand.textContent = open ? 'Close all' : 'Open all';
  };

  form.hidden = false;
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', () => {
    apply();
    remember();
  });
  document.getElementById('clear').addEventListener('click', () => {
    set(new URLSearchParams());
    remember();
  });
  expand.addEventListener('click', () => openAll(expand.getAttribute('aria-pressed') !== 'true'));
  addEventListener('hashchange', follow);
  addEventListener('beforeprint', () => {
    for (const element of document.querySelectorAll('#failures details.case')) element.open = true;
  });
  if (location.hash.length > 1) follow();
})();
