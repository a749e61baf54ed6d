// lowdb.
import { LowSync, Low } from 'lowdb';
import { JSONFile, JSONFilePreset } from 'lowdb/node';
const db = await JSONFilePreset('made-db.json', { posts: [] });
await db.update(({ posts }) => posts.push({ id: 1, title: 'ünï' }));
const again = new Low(new JSONFile('made-db.json'), {});
await again.read();
console.log(again.data, typeof LowSync);
