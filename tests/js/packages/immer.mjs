// immer.
import { produce, enablePatches, produceWithPatches, applyPatches, enableMapSet, current, freeze } from 'immer';
enablePatches();
enableMapSet();
const base = { list: [1, { a: 1 }], map: new Map([['k', { v: 1 }]]) };
const [next, patches] = produceWithPatches(base, (draft) => { draft.list.push(3); draft.list[1].a++; draft.map.get('k').v = 2; });
console.log(next, base.list.length, next.list[1] === base.list[1], patches, applyPatches(base, patches).list, Object.isFrozen(next));
console.log(produce(freeze({ x: 1 }, true), (draft) => { console.log(current(draft)); draft.y = 2; }));
