// trace_events: nothing is traced, and a tracing that is asked for says that it is off.
class Tracing {
  #categories;
  constructor(categories) { this.#categories = categories; }
  get categories() { return this.#categories.join(','); }
  get enabled() { return false; }
  enable() {}
  disable() {}
}
Object.assign(exports, { createTracing: ({ categories }) => new Tracing(categories), getEnabledCategories: () => undefined });
