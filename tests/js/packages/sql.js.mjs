// sql.js: SQLite in WebAssembly.
import initSqlJs from 'sql.js';
const SQL = await initSqlJs();
const db = new SQL.Database();
db.run('CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, price REAL, data BLOB)');
const insert = db.prepare('INSERT INTO t (name, price, data) VALUES ($name, $price, $data)');
for (let n = 0; n < 500; n++) insert.run({ $name: `name ${n % 50}`, $price: n / 8, $data: Uint8Array.of(n & 255, 1, 2) });
insert.free();
console.log(JSON.stringify(db.exec("SELECT name, count(*) AS n, round(sum(price), 3) AS s FROM t WHERE name LIKE '%4' GROUP BY name ORDER BY s DESC")));
console.log(db.exec('SELECT sqlite_version() > 3, hex(data), typeof(price) FROM t WHERE id = 300')[0].values);
db.create_function('twice', (value) => value * 2);
console.log(db.exec("SELECT twice(21), json_extract('{\"a\":[1,2]}', '$.a[1]'), upper('ä')")[0].values);
const bytes = db.export();
const copy = new SQL.Database(bytes);
console.log(bytes.length, copy.exec('SELECT count(*) FROM t')[0].values);
try {
  copy.exec('SELECT * FROM nothing');
} catch (error) {
  console.log(error.message);
}
const each = copy.prepare('SELECT id, name FROM t WHERE id < ? ORDER BY id');
each.bind([4]);
while (each.step()) console.log(each.getAsObject());
copy.close();
db.close();
