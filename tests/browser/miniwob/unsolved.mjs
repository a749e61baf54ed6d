// The tasks that nobody solves here or not always, and why.

const DRAGS = 'dragging is none of the steps';
const POINTS = 'a point within a drawing is to be clicked; steps go to the middle of an element';
const COLORS = 'colours are not told';
const DRAWN = 'what it asks of is drawn';
const TIME = 'it is won by the speed of the machine';

/** Tasks of which not every episode is won, and why. */
export const UNSURE = {
  'click-pie': 'it takes its parts out and puts them in again as long as a pointer is over a word',
  'click-pie-nodelay': 'as click-pie',
};

export const UNSOLVED = {
  'bisect-angle': POINTS,
  'button-delay': TIME,
  'chase-circle': POINTS,
  'circle-center': POINTS,
  'click-checkboxes-soft': 'it asks for words of the same meaning: that is a model’s part',
  'click-color': COLORS,
  'click-menu-2': 'the wish has a picture in half of its episodes',
  'click-shades': COLORS,
  'click-shape': COLORS,
  'count-shape': COLORS,
  'count-sides': DRAWN,
  'daily-calendar': DRAGS,
  'drag-box': DRAGS,
  'drag-circle': DRAGS,
  'drag-cube': DRAGS,
  'drag-items': DRAGS,
  'drag-items-grid': DRAGS,
  'drag-shapes': DRAGS,
  'drag-shapes-2': DRAGS,
  'drag-single-shape': DRAGS,
  'drag-sort-numbers': DRAGS,
  'draw-circle': DRAGS,
  'draw-line': DRAGS,
  'find-midpoint': POINTS,
  'highlight-text': 'text is not selected by any of the steps',
  'highlight-text-2': 'text is not selected by any of the steps',
  'hot-cold': POINTS,
  'hover-shape': 'it has no end: nothing is won',
  'moving-items': POINTS,
  'number-checkboxes': DRAWN,
  'order-food': 'half of its episodes ask for what is told by pictures alone',
  'resize-textarea': DRAGS,
  'right-angle': POINTS,
  'simon-says': TIME,
  'stock-market': TIME,
  'text-editor': 'text is not selected by any of the steps',
  'tic-tac-toe': 'the other side does not always let win',
  'use-colorwheel-2': COLORS,
  'visual-addition': DRAWN,
};
