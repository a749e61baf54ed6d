// What a hostile tool or script tries, given any system call (`hostile.sys`) and the guest's own
// `fs` without any check before it. An attack gives what the kernel said: below nought it failed.
// Evaluated as an expression in the worker; `scene` is made in main.rs.
(function (scene) {
  const { sys, address, require } = globalThis.hostile;
  const { Buffer } = require('buffer');
  const CWD = -100, RDONLY = 0, WRONLY = 1, RDWR = 2, CREAT = 0o100, TRUNC = 0o1000, DIRECTORY = 0o200000, PATH = 0o10000000;
  const { owner, victim, uid, own, data, other, home, planted } = scene;
  const token = `${home}/token`;
  const up = '../'.repeat(data.split('/').length - 1);

  // What the attacks are made of.
  const words = (...numbers) => new Uint8Array(new BigUint64Array(numbers.map((n) => BigInt.asUintN(64, BigInt(n)))).buffer);
  const open = (path, flags = RDONLY, mode = 0o644) => sys('openat', CWD, path, flags, mode);
  const closed = (file) => (file < 0 ? file : sys('close', file));
  // A dead process's keys count against its user for a while.
  const forgotten = (key) => (key < 0 ? key : sys('keyctl', 21, key));
  const content = (file) => {
    if (file < 0) return file;
    const count = sys('read', file, new Uint8Array(16), 16);
    sys('close', file);
    return count === 0 ? -61 : count;
  };
  const read = (path) => content(open(path));
  const put = (file) => {
    if (file < 0) return file;
    const count = sys('write', file, new Uint8Array([101, 118, 105, 108, 10]), 5);
    sys('close', file);
    return count;
  };
  const write = (path, flags = 0) => put(open(path, WRONLY | flags));
  const list = (path, name) => {
    const folder = open(path, RDONLY | DIRECTORY);
    if (folder < 0) return folder;
    const entries = new Uint8Array(16384);
    let found = -2;
    for (let count; (count = sys('getdents64', folder, entries, entries.length)) > 0; ) {
      if (Buffer.from(entries.subarray(0, count)).includes(`${name}\0`)) found = 0;
      else if (count < 0) found = count;
    }
    sys('close', folder);
    return found;
  };
  // In a child where one can be had, so that success does not change this process.
  const inChild = (work) => {
    const child = sys('clone', 17, 0, 0, 0, 0);
    if (child < 0) return work();
    if (child === 0) {
      const answer = work();
      sys('exit_group', answer < 0 ? -answer : 0);
    }
    const status = new Uint8Array(4);
    sys('wait4', child, status, 0, 0);
    return status[0] === 0 ? -status[1] : -4;
  };
  const run = (call, ...before) => {
    const args = words(address('/bin/true'), 0);
    return inChild(() => sys(call, ...before, args, words(0), 0x1000));
  };
  const socket = (family, kind, protocol = 0) => sys('socket', family, kind, protocol);
  // Standard input stands in where no socket is to be had, so that the call itself is tried.
  const socketOrInput = (family, kind) => Math.max(socket(family, kind), 0);
  const loopback = (port) => new Uint8Array([2, 0, port >> 8, port & 255, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  const named = (name) => new Uint8Array([1, 0, ...Buffer.from(name), 0]);
  const linked = (target, name, behind = '') => {
    const made = sys('symlinkat', target, CWD, `${data}/${name}`);
    return made < 0 ? made : read(`${data}/${name}${behind}`);
  };
  const beside = (name, work) => {
    const folder = open(data, RDONLY | DIRECTORY);
    const answer = folder < 0 ? folder : work(folder, `${up.slice(3)}${name.slice(1)}`);
    closed(folder);
    return answer;
  };

  const raw = {
    // Reading.
    readToken: () => read(token),
    readDatabase: () => read(`${home}/pm.db`),
    readOtherCode: () => read(`${other}/other.tool.js`),
    readOtherEnvironment: () => read(`${other}/.env`),
    readOtherData: () => read(`${other}/data/diary`),
    readKey: () => read(scene.key),
    readShadow: () => read('/etc/shadow'),
    readByDots: () => read(`${data}/${up}${token.slice(1)}`),
    readBesideAFolder: () => beside(token, (folder, path) => content(sys('openat', folder, `../${path}`, RDONLY, 0))),
    readByOpenat2: () => content(sys('openat2', CWD, token, words(RDONLY, 0, 0), 24)),
    readByPlantedLink: () => read(`${planted}/key`),
    readByPlantedFolder: () => read(`${planted}/up/token`),
    readByOwnLink: () => linked(token, 'link-1'),
    readByOwnLinkToAFolder: () => linked('/', 'link-2', token),
    readByOwnRelativeLink: () => linked(`${up}${token.slice(1)}`, 'link-3'),
    readByOwnLinkToProc: () => linked('/proc/self/root', 'link-4', token),
    readByProcRoot: () => read(`/proc/self/root${token}`),
    readByThreadRoot: () => read(`/proc/thread-self/root${token}`),
    readByProcFolder: () => read(`/proc/self/cwd/${up}${token.slice(1)}`),
    readByProcFile: () => beside(token, (folder, path) => read(`/proc/self/fd/${folder}/../${path}`)),
    readByRootOfOne: () => read(`/proc/1/root${token}`),
    readByRootOfOwner: () => read(`/proc/${owner}/root${token}`),
    readByFolderOfOwner: () => read(`/proc/${owner}/cwd/Cargo.toml`),
    readEnvironmentOfOwner: () => read(`/proc/${owner}/environ`),
    readEnvironmentOfParent: () => read(`/proc/${sys('getppid')}/environ`),
    readCommandLineOfOwner: () => read(`/proc/${owner}/cmdline`),
    readMemoryOfVictim: () => closed(open(`/proc/${victim}/mem`)),
    readMapsOfVictim: () => read(`/proc/${victim}/maps`),
    readFilesOfOwner: () => list(`/proc/${owner}/fd`, '1'),
    seeOwner: () => list('/proc', String(owner)),
    readByGoingThere: () => {
      const before = open('.', PATH);
      const gone = sys('chdir', home);
      const answer = gone < 0 ? gone : read('token');
      sys('fchdir', before);
      closed(before);
      return answer;
    },
    readByNewRoot: () => inChild(() => sys('chroot', home)),
    readByHandle: () => {
      const handle = new Uint8Array(136);
      handle[0] = 128;
      const mount = new Uint8Array(4);
      const got = sys('name_to_handle_at', CWD, token, handle, mount, 0);
      if (got < 0) return got;
      const there = open(home);
      const file = sys('open_by_handle_at', there, handle, RDONLY);
      closed(there);
      return content(file);
    },
    linkTokenHere: () => sys('linkat', CWD, token, CWD, `${data}/token`, 0),
    moveDiaryHere: () => sys('renameat2', CWD, `${other}/data/old-diary`, CWD, `${data}/diary`, 0),
    listHome: () => list(home, 'token'),
    listTools: () => list(`${home}/toolbox`, 'other'),
    listPersonsHome: () => list(scene.person, 'id'),
    watchToken: () => {
      const watcher = sys('inotify_init1', 0);
      const answer = watcher < 0 ? watcher : sys('inotify_add_watch', watcher, token, 0xfff);
      closed(watcher);
      return answer;
    },

    // Writing.
    writeToken: () => write(token),
    writeDatabase: () => write(`${home}/pm.db`),
    writeOtherData: () => write(`${other}/data/diary`),
    writeOtherEnvironment: () => write(`${other}/.env`),
    writeByPlantedLink: () => write(`${planted}/key`),
    createByPlantedFolder: () => write(`${planted}/up/evil`, CREAT),
    createInHome: () => write(`${home}/evil`, CREAT),
    createInPersonsHome: () => write(`${scene.person}/evil`, CREAT),
    createFolderInHome: () => sys('mkdirat', CWD, `${home}/evil-folder`, 0o755),
    createLinkInHome: () => sys('symlinkat', '/etc', CWD, `${home}/evil-link`),
    cutToken: () => sys('truncate', `${home}/spare-1`, 0),
    cutByReading: () => closed(open(`${home}/spare-2`, RDONLY | TRUNC)),
    removeFile: () => sys('unlinkat', CWD, `${home}/spare-3`, 0),
    replaceFile: () => {
      const made = write(`${data}/mine`, CREAT);
      return made < 0 ? made : sys('renameat2', CWD, `${data}/mine`, CWD, `${home}/spare-4`, 0);
    },
    changeMode: () => sys('fchmodat', CWD, `${home}/spare-5`, 0o666),
    changeTimes: () => sys('utimensat', CWD, `${home}/spare-5`, words(1, 0, 1, 0), 0),
    changeOwner: () => sys('fchownat', CWD, `${home}/spare-5`, uid, -1, 0),
    makeSetuid: () => {
      const made = write(`${data}/setuid`, CREAT);
      return made < 0 ? made : sys('fchmodat', CWD, `${data}/setuid`, 0o4755);
    },
    makeFifo: () => sys('mknodat', CWD, `${data}/fifo`, 0o010644, 0),
    makeDevice: () => sys('mknodat', CWD, `${data}/device`, 0o020644, 0x103),
    writeSharedMemory: () => {
      const path = `/dev/shm/${scene.hidden}`;
      const answer = write(path, CREAT);
      sys('unlinkat', CWD, path, 0);
      return answer;
    },
    openKernelLog: () => closed(open('/dev/kmsg')),
    openProcSys: () => closed(open('/proc/sys/kernel/hostname', WRONLY)),
    openOwnMemory: () => closed(open('/proc/self/mem', RDWR)),

    // The network, and sockets of the machine.
    tcp: () => closed(socket(2, 1)),
    udp: () => closed(socket(2, 2)),
    tcp6: () => closed(socket(10, 1)),
    rawIp: () => closed(socket(2, 3, 1)),
    packets: () => closed(socket(17, 3)),
    netlink: () => closed(socket(16, 3)),
    unix: () => closed(socket(1, 1)),
    pair: () => sys('socketpair', 1, 1, 0, new Uint8Array(8)),
    connect: () => sys('connect', socketOrInput(2, 1), loopback(scene.port), 16),
    listen: () => sys('bind', socketOrInput(2, 1), loopback(0), 16),
    send: () => sys('sendto', socketOrInput(2, 2), new Uint8Array(4), 4, 0, loopback(9), 16),
    connectOwner: () => sys('connect', socketOrInput(1, 1), named(scene.socket), scene.socket.length + 3),
    connectAbstract: () => sys('connect', socketOrInput(1, 1), named(`\0${scene.hidden}`), scene.hidden.length + 3),

    // Other processes.
    trace: () => sys('ptrace', 0x4206, victim, 0, 0),
    readProcess: () => sys('process_vm_readv', victim, words(address(new Uint8Array(16)), 16), 1, words(scene.secret, 16), 1, 0),
    writeProcess: () => {
      const own = Buffer.from("the victim's own");
      return sys('process_vm_writev', victim, words(address(own), 16), 1, words(scene.secret, 16), 1, 0);
    },
    signalVictim: () => sys('kill', victim, 18),
    signalOwner: () => sys('kill', owner, 0),
    signalOwnersThread: () => sys('tgkill', owner, owner, 0),
    signalAThread: () => sys('tkill', victim, 18),
    signalParent: () => sys('kill', sys('getppid'), 0),
    signalEverybody: () => sys('kill', -1, 0),
    queueToOwner: () => {
      const info = new Uint8Array(128);
      info.set([255, 255, 255, 255], 8);
      return sys('rt_sigqueueinfo', victim, 18, info);
    },
    handleOfOwner: () => closed(sys('pidfd_open', owner, 0)),
    fileOfVictim: () => {
      const handle = sys('pidfd_open', victim, 0);
      const file = handle < 0 ? handle : sys('pidfd_getfd', handle, 0, 0);
      closed(handle);
      return closed(file);
    },
    limitsOfOwner: () => sys('prlimit64', owner, 4, 0, new Uint8Array(16)),
    priorityOfVictim: () => sys('setpriority', 0, victim, 10),
    processorsOfVictim: () => sys('sched_setaffinity', victim, 8, words(-1)),
    groupOfVictim: () => sys('getpgid', victim),
    sessionOfOwner: () => sys('getsid', owner),
    compareWithVictim: () => sys('kcmp', victim, victim, 2, 0, 0),

    // New processes and new code.
    fork: () => {
      const child = sys('clone', 17, 0, 0, 0, 0);
      if (child === 0) sys('exit_group', 0);
      return child < 0 ? child : sys('wait4', child, 0, 0, 0);
    },
    forkAndShare: () => {
      const child = sys('clone', 0x4000 | 17, 0, 0, 0, 0);
      if (child === 0) sys('exit_group', 0);
      return child < 0 ? child : sys('wait4', child, 0, 0, 0);
    },
    forkByClone3: () => {
      const child = sys('clone3', words(0, 0, 0, 0, 17, 0, 0, 0), 64);
      if (child === 0) sys('exit_group', 0);
      return child < 0 ? child : sys('wait4', child, 0, 0, 0);
    },
    runProgram: () => run('execve', '/bin/true'),
    runProgramAt: () => run('execveat', CWD, '/bin/true'),
    runFromMemory: () => {
      const file = sys('memfd_create', 'evil', 0);
      if (file < 0) return file;
      const script = Buffer.from('#!/bin/true\n');
      sys('write', file, script, script.length);
      const answer = run('execve', `/proc/self/fd/${file}`);
      closed(file);
      return answer;
    },
    writeAndRunMemory: () => sys('mmap', 0, 4096, 7, 0x22, -1, 0),
    makeMemoryRun: () => {
      const page = sys('mmap', 0, 4096, 3, 0x22, -1, 0);
      return page < 0 ? page : sys('mprotect', page, 4096, 5);
    },
    loadOwnCode: () => {
      const made = write(`${data}/code`, CREAT);
      const file = made < 0 ? made : open(`${data}/code`);
      const answer = file < 0 ? file : sys('mmap', 0, 4096, 5, 2, file, 0);
      closed(file);
      return answer;
    },

    // More rights, and the machine.
    becomeRoot: () => inChild(() => sys('setuid', 0)),
    setGroups: () => inChild(() => sys('setgroups', 1, new Uint8Array(4))),
    newSession: () => inChild(() => sys('setsid')),
    newUser: () => inChild(() => sys('unshare', 0x10000000)),
    newMounts: () => inChild(() => sys('unshare', 0x20000)),
    joinNamespace: () => {
      const file = open('/proc/self/ns/uts');
      const answer = file < 0 ? file : sys('setns', file, 0);
      closed(file);
      return answer;
    },
    mount: () => {
      const done = sys('mount', 'tmpfs', scene.scratch, 'tmpfs', 0, 0);
      return done < 0 ? done : sys('umount2', scene.scratch, 2);
    },
    copyTree: () => closed(sys('open_tree', CWD, '/', 1)),
    openFilesystem: () => closed(sys('fsopen', 'tmpfs', 0)),
    watchFilesystem: () => closed(sys('fanotify_init', 0, 0)),
    nameMachine: () => {
      const about = new Uint8Array(390);
      sys('uname', about);
      const name = about.subarray(65, 130);
      return sys('sethostname', name, name.indexOf(0));
    },
    setClock: () => sys('settimeofday', 0, 0),
    outlive: () => sys('prctl', 1, 0, 0, 0, 0),
    personality: () => sys('personality', 0x0040000),
    program: () => closed(sys('bpf', 0, words(0x400000002n, 0x100000008n, 0, 0, 0, 0, 0, 0, 0), 72)),
    ring: () => closed(sys('io_uring_setup', 4, new Uint8Array(120))),
    faults: () => closed(sys('userfaultfd', 1)),
    measure: () => {
      const event = new Uint8Array(128);
      event.set([1, 0, 0, 0, 128]);
      event[40] = 0x60;
      return closed(sys('perf_event_open', event, 0, -1, -1, 0));
    },
    readLog: () => sys('syslog', 3, new Uint8Array(64), 64),
    keyring: () => forgotten(sys('keyctl', 0, -1, 1)),
    key: () => forgotten(sys('add_key', 'user', 'evil', new Uint8Array(1), 1, -2)),
    sharedSegment: () => {
      const segment = sys('shmget', 0, 4096, 0o1600);
      return segment < 0 ? segment : sys('shmctl', segment, 0, 0);
    },
    semaphores: () => {
      const set = sys('semget', 0, 1, 0o1600);
      return set < 0 ? set : sys('semctl', set, 0, 0, 0);
    },
    messages: () => {
      const queue = sys('mq_open', scene.hidden, RDWR | CREAT, 0o600, 0);
      return queue < 0 ? queue : (closed(queue), sys('mq_unlink', scene.hidden));
    },
    fileInMemory: () => closed(sys('memfd_create', 'evil', 0)),
    raiseLimit: () => sys('prlimit64', 0, 4, words(-1, -1), 0),
  };
  // The tool's own folder; a script has none.
  if (own) {
    Object.assign(raw, {
      writeOwnCode: () => write(`${own}/t.tool.js`),
      writeOwnCodeByDots: () => write(`${data}/../t.tool.js`),
      writeOwnEnvironment: () => write(`${own}/.env`),
      writeOwnPackages: () => write(`${own}/node_modules/x/index.js`),
      createInOwnPackages: () => write(`${own}/node_modules/evil.js`, CREAT),
      createInOwnFolder: () => write(`${own}/evil.js`, CREAT),
      removeOwnCode: () => sys('unlinkat', CWD, `${own}/spare.js`, 0),
      moveOwnData: () => sys('renameat2', CWD, data, CWD, `${own}/data-2`, 0) || sys('renameat2', CWD, `${own}/data-2`, CWD, data, 0),
      changeOwnMode: () => sys('fchmodat', CWD, `${own}/t.tool.js`, 0o666),
    });
  }

  // The same by the guest's own `fs`.
  const fs = require('fs');
  const files = {
    readToken: () => fs.readFileSync(token),
    readDatabase: () => fs.readFileSync(`${home}/pm.db`),
    readOtherEnvironment: () => fs.readFileSync(`${other}/.env`),
    readOtherData: () => fs.readFileSync(`${other}/data/diary`),
    readKey: () => fs.readFileSync(scene.key),
    readByDots: () => fs.readFileSync(`${data}/${up}${token.slice(1)}`),
    readByPlantedLink: () => fs.readFileSync(`${planted}/key`),
    readByPlantedFolder: () => fs.readFileSync(`${planted}/up/token`),
    readByOwnLink: () => (fs.symlinkSync(token, `${data}/fs-1`), fs.readFileSync(`${data}/fs-1`)),
    readByOwnFolderLink: () => (fs.symlinkSync('/', `${data}/fs-2`), fs.readFileSync(`${data}/fs-2${token}`)),
    readByProcRoot: () => fs.readFileSync(`/proc/self/root${token}`),
    readEnvironmentOfOwner: () => fs.readFileSync(`/proc/${owner}/environ`),
    openToken: () => fs.closeSync(fs.openSync(token, 'r')),
    openToWrite: () => fs.closeSync(fs.openSync(token, 'r+')),
    listHome: () => fs.readdirSync(home),
    listTools: () => fs.readdirSync(`${home}/toolbox`),
    copyTokenHere: () => fs.copyFileSync(token, `${data}/fs-token`),
    linkTokenHere: () => fs.linkSync(token, `${data}/fs-link`),
    moveDiaryHere: () => fs.renameSync(`${other}/data/older-diary`, `${data}/fs-diary`),
    writeToken: () => fs.writeFileSync(token, 'evil'),
    appendToDatabase: () => fs.appendFileSync(`${home}/pm.db`, 'evil'),
    writeByPlantedLink: () => fs.writeFileSync(`${planted}/key`, 'evil'),
    createByPlantedFolder: () => fs.writeFileSync(`${planted}/up/fs-evil`, 'evil'),
    createInHome: () => fs.writeFileSync(`${home}/fs-evil`, 'evil'),
    createFolderInHome: () => fs.mkdirSync(`${home}/fs-folder`),
    createByRandomName: () => fs.mkdtempSync(`${home}/fs-`),
    createLinkInHome: () => fs.symlinkSync('/etc', `${home}/fs-link`),
    removeFile: () => fs.unlinkSync(`${home}/spare-6`),
    removeFolder: () => fs.rmSync(`${home}/spare-folder`, { recursive: true }),
    cutFile: () => fs.truncateSync(`${home}/spare-7`, 0),
    changeMode: () => fs.chmodSync(`${home}/spare-7`, 0o666),
    changeTimes: () => fs.utimesSync(`${home}/spare-7`, 1, 1),
    listOwner: () => fs.readdirSync(`/proc/${owner}/fd`),
  };
  if (own) {
    Object.assign(files, {
      writeOwnCode: () => fs.writeFileSync(`${own}/t.tool.js`, fs.readFileSync(`${own}/t.tool.js`)),
      writeOwnEnvironment: () => fs.writeFileSync(`${own}/.env`, 'A=evil'),
      createInOwnFolder: () => fs.writeFileSync(`${own}/fs-evil.js`, 'evil'),
      createInOwnPackages: () => fs.writeFileSync(`${own}/node_modules/x/evil.js`, 'evil'),
      replaceOwnCode: () => (fs.writeFileSync(`${data}/new.js`, ''), fs.renameSync(`${data}/new.js`, `${own}/spare-2.js`)),
    });
  }

  // What must go on working, or the wall would be proven by a worker that can do nothing.
  const harmless = {
    calls: () => sys('getpid'),
    null: () => write('/dev/null'),
    ...(scene.temporary && {
      temporary: () => write(`/tmp/${scene.hidden}`, CREAT) && sys('unlinkat', CWD, `/tmp/${scene.hidden}`, 0),
    }),
    ...(own && {
      ownCode: () => read(`${own}/t.tool.js`),
      ownData: () => write(`${data}/note`, CREAT),
      ownDataByFs: () => (fs.writeFileSync(`${data}/note-2`, 'x'), fs.readFileSync(`${data}/note-2`)),
      granted: () => write(`${planted}/note`, CREAT),
      grantedByFs: () => fs.readdirSync(planted),
    }),
  };

  // A script has no folder but the temporary one, where that is to be had.
  if (!own) sys('mkdirat', CWD, data, 0o755);
  const said = {};
  const attempt = (kind, all) => {
    for (const [name, work] of Object.entries(all)) {
      if (scene.only && scene.only !== `${kind}.${name}`) continue;
      try {
        const answer = work();
        said[`${kind}.${name}`] = typeof answer === 'number' && answer < 0 ? -answer : 0;
      } catch (error) {
        said[`${kind}.${name}`] = typeof error.errno === 'number' ? Math.abs(error.errno) : String(error);
      }
    }
  };
  attempt('harmless', harmless);
  attempt('raw', raw);
  attempt('fs', files);
  return said;
})
