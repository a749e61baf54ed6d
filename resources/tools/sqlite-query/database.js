/**
 * 打开一个 SQLite 文件：整个读进内存，在内存里查。要写时，改完的副本一次换上去。
 *
 * 所以只读是真的：不写回，文件就不会变，SQL 说什么都一样。
 * 这里有意不做的事：别的程序正在写的数据库，它的日志里有这里看不到的内容。
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import { randomUUID } from 'node:crypto';
import { Fault } from './fault.js';

export const MAX_DATABASE = 64 * 1024 * 1024;
const MAGIC = 'SQLite format 3\0';

let engine;

/** 引擎是 WebAssembly，启动要一会儿：工作进程活着就不再启动。 */
export function sqlite() {
  engine ??= (async () => {
    const require = createRequire(import.meta.url);
    const { default: start } = await import('sql.js');
    return start({ wasmBinary: await fs.readFile(require.resolve('sql.js/dist/sql-wasm.wasm')) });
  })();
  return engine;
}

async function sizeOf(target) {
  try {
    return (await fs.stat(target)).size;
  } catch {
    return 0;
  }
}

async function bytesOf(target, shown) {
  let stat;
  try {
    stat = await fs.stat(target);
  } catch (error) {
    if (error?.code === 'ENOENT' || error?.code === 'ENOTDIR') return null;
    throw error;
  }
  if (!stat.isFile()) throw new Fault('NOT_A_DATABASE', `不是文件: ${shown}`);
  if (stat.size > MAX_DATABASE) throw new Fault('TOO_LARGE', `数据库有 ${stat.size} 字节，上限 ${MAX_DATABASE} 字节`);
  const bytes = await fs.readFile(target);
  if (bytes.length > 0 && bytes.subarray(0, 16).toString('latin1') !== MAGIC) throw new Fault('NOT_A_DATABASE', `不是 SQLite 数据库: ${shown}`);
  for (const ending of ['-wal', '-journal']) {
    if ((await sizeOf(`${target}${ending}`)) > 0) throw new Fault('IN_USE', `别的程序正在使用这个数据库（有 ${path.basename(target)}${ending}）`);
  }
  // 日志为空的 WAL 数据库内容是全的；这两个字节只说用不用日志，内存里没有日志可用。
  const wal = bytes.length > 19 && bytes[18] === 2;
  if (wal) bytes[18] = bytes[19] = 1;
  return { bytes, stat, wal };
}

/**
 * @param {string} target
 * @param {{shown: string, create: boolean}} options
 */
export async function open(target, { shown, create }) {
  const found = await bytesOf(target, shown);
  if (found === null && !create) throw new Fault('FILE_NOT_FOUND', `数据库不存在: ${shown}`);
  const { Database } = await sqlite();
  const database = new Database(found?.bytes);
  return { database, before: found };
}

/**
 * 写到旁边再改名；其间文件变了就不换，免得盖掉别人写的。
 *
 * @param {{stat: import('node:fs').Stats, wal: boolean} | null} before 打开时的文件
 */
export async function save(target, database, before) {
  const bytes = database.export();
  // 原来用日志的，写回去还用：打开时改掉的只是内存里的那一份。
  if (before?.wal) bytes[18] = bytes[19] = 2;
  const stat = before?.stat;
  const temporary = path.join(path.dirname(target), `.${path.basename(target)}.${randomUUID()}.tmp`);
  try {
    const handle = await fs.open(temporary, 'wx', stat === undefined ? 0o600 : stat.mode & 0o777);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const now = await fs.stat(target).catch(() => undefined);
    const same = now?.mtimeMs === stat?.mtimeMs && now?.size === stat?.size;
    if (!same || (await sizeOf(`${target}-wal`)) > 0) throw new Fault('IN_USE', '数据库在执行期间被别的程序改了，没有写入');
    await fs.rename(temporary, target);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}
