// child_process: packages may import it; a worker starts no processes.
const refused = (name) => () => {
  throw Object.assign(new Error(`child_process.${name}: this tool may not start processes`), { code: 'ERR_ACCESS_DENIED' });
};
for (const name of ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync']) exports[name] = refused(name);
exports.ChildProcess = class ChildProcess {};
