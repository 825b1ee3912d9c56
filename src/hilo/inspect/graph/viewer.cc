// SPDX-License-Identifier: Apache-2.0
#include "hilo/inspect/graph/viewer.h"

namespace hilo::hlo::graph {
namespace {

constexpr std::string_view kStyle = R"css(
.hilo-graph summary{cursor:pointer;font-family:monospace;padding:.3em 0}
.hilo-graph .scroll{position:relative;overflow:auto;max-height:80vh;border:1px solid #ccc;resize:vertical}
.hilo-graph .canvas{position:relative}
.hilo-graph .edges{position:absolute;pointer-events:none;fill:none;stroke:#8a8a8a}
.hilo-graph .node{position:absolute;box-sizing:border-box;width:190px;height:66px;padding:2px 6px;overflow:hidden;
 border:1px solid #4a5a6a;border-radius:4px;background:#e2f5e4;font:11px/15px monospace;white-space:nowrap}
.hilo-graph .node.parameter{background:#fff3d6}.hilo-graph .node.constant{background:#eee}
.hilo-graph .node.elementwise{background:#e3f0ff}.hilo-graph .node.library{background:#fbe3ee}
.hilo-graph .node.region{background:#d6e4f5;border-radius:12px}
.hilo-graph .node.input{background:none;border-style:dashed}
.hilo-graph .node.root{border-width:3px}
.hilo-graph .node.calls{cursor:pointer;border-style:double;border-width:3px}
.hilo-graph .node.faded{opacity:.25}.hilo-graph .node.hit{outline:3px solid #d00000}
.hilo-graph .inner{margin-left:1.5em;border-left:3px solid #cde;padding-left:.5em}
.hilo-graph .hits{max-height:10em;overflow:auto}.hilo-graph .hits button{display:block;font:11px monospace}
)css";

// Nodes are rows of the data: [title, shape, source, cost, kind, layer, operands, calls]; within a layer they are in
// order.
constexpr std::string_view kScript = R"js((() => {
const section = document.currentScript.closest('section');
const data = JSON.parse(section.querySelector('script[type="application/json"]').textContent);
const namespace = section.querySelector('svg').namespaceURI;
const WIDTH = 190, HEIGHT = 66, COLUMN = 206, LAYER = 102, MARGIN = 12, MOST_HITS = 200, MOST_USERS = 200;
const MOST_REGIONS_OPEN = 8, MOST_NODES_OPEN = 40;  // regions that stand open at first
const [TITLE, SHAPE, SOURCE, COST, KIND, LEVEL, OPERANDS, CALLS] = [0, 1, 2, 3, 4, 5, 6, 7];
let query = '';
const open = new Set();  // panels that are built

const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};
const matches = node => node[KIND] !== 'input' &&
    [node[TITLE], node[SHAPE], node[SOURCE]].join(' ').toLowerCase().includes(query);

const caller = data.computations.map(() => null);
data.computations.forEach((computation, c) => computation.nodes.forEach((node, i) =>
  node[CALLS].forEach(callee => { caller[callee] = caller[callee] || [c, i]; })));

class Panel {
  constructor(number, title, parent) {
    this.computation = data.computations[number];
    this.inner = new Map();  // panels of called computations, by node and callee
    this.drawn = new Map();
    this.details = make('details');
    this.details.append(make('summary', '', title));
    this.details.addEventListener('toggle', () => { if (this.details.open) this.build(); });
    parent.append(this.details);
  }
  show() { this.details.open = true; this.build(); }
  build() {
    if (this.scroll) return this.draw();
    open.add(this);
    const nodes = this.computation.nodes;
    this.rows = [];
    this.columns = [];
    nodes.forEach((node, i) => {
      const row = this.rows[node[LEVEL]] = this.rows[node[LEVEL]] || [];
      row.push(i);
    });
    this.rows.forEach(row => {
      row.sort((a, b) => this.computation.columns[a] - this.computation.columns[b]);
      row.forEach((i, column) => { this.columns[i] = column; });
    });
    this.users = nodes.map(() => []);
    nodes.forEach((node, i) => node[OPERANDS].forEach(operand => this.users[operand].push(i)));
    this.scroll = make('div', 'scroll');
    this.canvas = make('div', 'canvas');
    const widest = this.rows.reduce((most, row) => Math.max(most, row.length), 1);
    this.canvas.style.width = 2 * MARGIN + widest * COLUMN + 'px';
    this.canvas.style.height = 2 * MARGIN + this.rows.length * LAYER + 'px';
    this.edges = document.createElementNS(namespace, 'svg');
    this.edges.setAttribute('class', 'edges');
    this.path = document.createElementNS(namespace, 'path');
    this.edges.append(this.path);
    this.canvas.append(this.edges);
    this.scroll.append(this.canvas);
    this.below = make('div', 'inner');
    this.details.append(this.scroll, this.below);
    let waiting = false;
    this.scroll.addEventListener('scroll', () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; this.draw(); });
    });
    new ResizeObserver(() => this.draw()).observe(this.scroll);
    const regions = nodes.map((node, i) => i).filter(i => nodes[i][KIND] === 'region');
    if (regions.length <= MOST_REGIONS_OPEN) regions.filter(i => size(nodes[i][CALLS][0]) <= MOST_NODES_OPEN)
      .forEach(i => this.called(i, nodes[i][CALLS][0]).show());
    this.draw();
  }
  left(i) { return MARGIN + this.columns[i] * COLUMN; }
  top(i) { return MARGIN + this.computation.nodes[i][LEVEL] * LAYER; }
  visible() {
    const {scrollLeft, scrollTop, clientWidth, clientHeight} = this.scroll;
    const found = new Set();
    const first = Math.max(0, Math.floor((scrollTop - MARGIN) / LAYER));
    const last = Math.min(this.rows.length - 1, Math.floor((scrollTop + clientHeight) / LAYER));
    for (let level = first; level <= last; ++level) {
      const row = this.rows[level];
      const from = Math.max(0, Math.floor((scrollLeft - MARGIN) / COLUMN));
      const to = Math.min(row.length - 1, Math.floor((scrollLeft + clientWidth) / COLUMN));
      for (let column = from; column <= to; ++column) found.add(row[column]);
    }
    return found;
  }
  draw() {
    if (!this.scroll || !this.details.open) return;
    const wanted = this.visible();
    for (const [i, element] of this.drawn) {
      if (!wanted.has(i)) { element.remove(); this.drawn.delete(i); }
    }
    for (const i of wanted) {
      if (!this.drawn.has(i)) { const element = this.box(i); this.drawn.set(i, element); this.canvas.append(element); }
      const hit = query !== '' && matches(this.computation.nodes[i]);
      this.drawn.get(i).classList.toggle('hit', hit);
      this.drawn.get(i).classList.toggle('faded', query !== '' && !hit);
    }
    this.drawEdges(wanted);
  }
  drawEdges(wanted) {
    const {scrollLeft, scrollTop, clientWidth, clientHeight} = this.scroll;
    this.edges.style.left = scrollLeft + 'px';
    this.edges.style.top = scrollTop + 'px';
    this.edges.setAttribute('width', clientWidth);
    this.edges.setAttribute('height', clientHeight);
    this.edges.setAttribute('viewBox', `${scrollLeft} ${scrollTop} ${clientWidth} ${clientHeight}`);
    const lines = new Set();
    const line = (from, to) => {
      const x1 = this.left(from) + WIDTH / 2, y1 = this.top(from) + HEIGHT;
      const x2 = this.left(to) + WIDTH / 2, y2 = this.top(to), middle = (y1 + y2) / 2;
      lines.add(`M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`);
    };
    for (const i of wanted) {
      this.computation.nodes[i][OPERANDS].forEach(operand => line(operand, i));
      this.users[i].slice(0, MOST_USERS).forEach(user => line(i, user));
    }
    this.path.setAttribute('d', [...lines].join(''));
  }
  box(i) {
    const node = this.computation.nodes[i];
    const element = make('div', `node ${node[KIND]}${i === this.computation.root ? ' root' : ''}`);
    element.style.left = this.left(i) + 'px';
    element.style.top = this.top(i) + 'px';
    const called = node[CALLS].map(callee => data.computations[callee].name);
    const opens = node[KIND] === 'region' ? `opens ${size(node[CALLS][0])} instructions` : 'opens ' + called.join(', ');
    const lines = [node[TITLE], node[SHAPE], called.length ? opens : node[SOURCE], node[COST]];
    lines.filter(text => text !== '').forEach(text => element.append(make('div', '', text)));
    element.title = [node[TITLE], node[SHAPE], node[SOURCE], node[COST], ...called]
        .filter(text => text !== '').join('\n');
    if (called.length) {
      element.classList.add('calls');
      element.addEventListener('click', () => this.toggle(i));
    }
    return element;
  }
  called(i, callee) {
    const key = i + ' ' + callee;
    if (!this.inner.has(key)) {
      const title = data.computations[callee].region ? titleOf(callee)
                                                     : `${this.computation.nodes[i][TITLE]} calls ${titleOf(callee)}`;
      this.inner.set(key, new Panel(callee, title, this.below));
    }
    return this.inner.get(key);
  }
  toggle(i) {
    const panels = this.computation.nodes[i][CALLS].map(callee => this.called(i, callee));
    const close = panels.every(panel => panel.details.open);
    panels.forEach(panel => close ? panel.details.open = false : panel.show());
  }
  reveal(i) {
    this.scroll.scrollTo(this.left(i) - this.scroll.clientWidth / 3, this.top(i) - this.scroll.clientHeight / 3);
    this.draw();
  }
}

const size = number => data.computations[number].nodes.reduce((sum, node) =>
  sum + (node[KIND] === 'input' ? 0 : node[KIND] === 'region' ? size(node[CALLS][0]) : 1), 0);
const titleOf = number => {
  const computation = data.computations[number];
  return `${computation.name} (${size(number)} instructions${computation.cost && ', ' + computation.cost})`;
};
const entry = new Panel(data.entry, titleOf(data.entry), section.querySelector('.panels'));
entry.show();

const goTo = (number, i) => {
  const calls = [];
  for (let c = number; c !== data.entry && caller[c]; c = caller[c][0]) calls.unshift([caller[c][1], c]);
  let panel = entry;
  panel.show();
  for (const [node, callee] of calls) { panel = panel.called(node, callee); panel.show(); }
  panel.details.scrollIntoView({block: 'nearest'});
  panel.reveal(i);
};

section.querySelector('input').addEventListener('input', event => {
  query = event.target.value.toLowerCase();
  const list = section.querySelector('.hits');
  list.replaceChildren();
  let count = 0;
  if (query !== '') data.computations.forEach((computation, c) => computation.nodes.forEach((node, i) => {
    if (!matches(node) || ++count > MOST_HITS) return;
    const button = make('button', '', `${computation.name}: ${node[TITLE]} ${node[SHAPE]} ${node[SOURCE]}`);
    button.addEventListener('click', () => goTo(c, i));
    list.append(button);
  }));
  section.querySelector('.count').textContent = query === '' ? '' : `${count} found`;
  open.forEach(panel => panel.draw());
});
})();
)js";

}  // namespace

std::string_view viewer_script() { return kScript; }
std::string_view viewer_style() { return kStyle; }

}  // namespace hilo::hlo::graph
