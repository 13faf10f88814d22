// A file system in memory, as Go's programs see it through globalThis.fs. A file may be one that is
// fetched when it is opened first.
"use strict";

globalThis.makeFiles = function (stdio) {
  const files = new Map(); // path: {data, size} or {load}
  const folders = new Set(["/"]);
  const open = new Map(); // by descriptor: {file, path, at, append}
  let next = 10, inode = 1;

  const failure = (code, why = code) => Object.assign(new Error(why), {code});
  const folder = path => path.slice(0, Math.max(1, path.lastIndexOf("/")));

  // clean makes a path absolute, without "." and "..".
  function clean(path) {
    const parts = [];
    for (const p of (path.startsWith("/") ? path : process.cwd() + "/" + path).split("/")) {
      if (p === "..") parts.pop();
      else if (p !== "" && p !== ".") parts.push(p);
    }
    return "/" + parts.join("/");
  }

  function mkdirAll(path) {
    for (; path !== "/"; path = folder(path)) folders.add(path);
  }

  function put(path, data) {
    mkdirAll(folder(path));
    files.set(path, {data, size: data.length, inode: inode++, time: Date.now()});
  }

  // lazy puts a file that load fetches: a promise of its bytes.
  function lazy(path, size, load) {
    mkdirAll(folder(path));
    files.set(path, {load, data: null, size, inode: inode++, time: 0});
  }

  // fill fetches a file once, however many ask for it. After an error the next one asks again.
  function fill(file) {
    if (!file.load || file.data) return Promise.resolve();
    file.coming = file.coming || file.load().then(data => {
      file.data = data;
      file.size = data.length;
    }).finally(() => { file.coming = null; });
    return file.coming;
  }

  function grow(file, size) {
    if (size <= file.data.length) return;
    const data = new Uint8Array(Math.max(size, 2 * file.data.length, 1 << 16));
    data.set(file.data.subarray(0, file.size));
    file.data = data;
  }

  function stat(file, isFolder) {
    const time = file ? file.time : 0;
    return {
      dev: 1, ino: file ? file.inode : 0, mode: isFolder ? 0o40755 : 0o100644, nlink: 1, uid: 0, gid: 0, rdev: 0,
      size: file ? file.size : 0, blksize: 4096, blocks: file ? Math.ceil(file.size / 512) : 0,
      atimeMs: time, mtimeMs: time, ctimeMs: time, isDirectory: () => isFolder,
    };
  }

  // answer calls back with what work returns, or with its error.
  function answer(callback, work) {
    let value;
    try {
      value = work();
    } catch (e) {
      callback(e);
      return;
    }
    callback(null, value);
  }

  function find(path) {
    path = clean(path);
    const file = files.get(path);
    if (file) return stat(file, false);
    if (folders.has(path)) return stat(null, true);
    throw failure("ENOENT");
  }

  function resize(file, size) {
    grow(file, size);
    if (size > file.size) file.data.fill(0, file.size, size);
    file.size = size;
  }

  const refuse = code => (...args) => args[args.length - 1](failure(code));
  const accept = (...args) => args[args.length - 1](null);

  const O = {O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536};
  const fs = {
    constants: O,
    writeSync(fd, data) {
      stdio(fd, data);
      return data.length;
    },
    write(fd, data, offset, length, position, callback) {
      answer(callback, () => {
        const piece = data.subarray(offset, offset + length);
        if (fd === 1 || fd === 2) {
          stdio(fd, piece);
          return length;
        }
        const h = open.get(fd);
        if (!h || !h.file) throw failure("EBADF");
        const at = position !== null ? position : h.append ? h.file.size : h.at;
        grow(h.file, at + length);
        if (at > h.file.size) h.file.data.fill(0, h.file.size, at);
        h.file.data.set(piece, at);
        h.file.size = Math.max(h.file.size, at + length);
        h.file.time = Date.now();
        if (position === null) h.at = at + length;
        return length;
      });
    },
    read(fd, data, offset, length, position, callback) {
      answer(callback, () => {
        if (fd === 0) return 0; // nobody types
        const h = open.get(fd);
        if (!h || !h.file) throw failure(h ? "EISDIR" : "EBADF");
        const at = position !== null ? position : h.at;
        const n = Math.max(0, Math.min(length, h.file.size - at));
        data.set(h.file.data.subarray(at, at + n), offset);
        if (position === null) h.at += n;
        return n;
      });
    },
    open(path, flags, mode, callback) {
      path = clean(path);
      let file = files.get(path);
      const done = () => answer(callback, () => {
        if (!file && folders.has(path)) {
          if (flags & (O.O_WRONLY | O.O_RDWR)) throw failure("EISDIR");
        } else if (!file) {
          if (!(flags & O.O_CREAT) || !folders.has(folder(path))) throw failure("ENOENT");
          put(path, new Uint8Array(0));
          file = files.get(path);
        } else {
          if (flags & O.O_CREAT && flags & O.O_EXCL) throw failure("EEXIST");
          if (flags & O.O_DIRECTORY) throw failure("ENOTDIR");
          if (flags & O.O_TRUNC) resize(file, 0);
        }
        open.set(next, {file, path, at: 0, append: flags & O.O_APPEND});
        return next++;
      });
      if (file && file.load && !file.data) fill(file).then(done, e => callback(failure(e.code === "ENOENT" ? e.code : "EIO", e.message)));
      else done();
    },
    close(fd, callback) {
      answer(callback, () => {
        if (!open.delete(fd)) throw failure("EBADF");
      });
    },
    fstat(fd, callback) {
      answer(callback, () => {
        const h = open.get(fd);
        if (!h && fd > 2) throw failure("EBADF");
        return h ? stat(h.file, !h.file) : Object.assign(stat(null, false), {mode: 0o20666});
      });
    },
    stat(path, callback) { answer(callback, () => find(path)); },
    lstat(path, callback) { answer(callback, () => find(path)); },
    unlink(path, callback) {
      answer(callback, () => {
        if (!files.delete(clean(path))) throw failure("ENOENT");
      });
    },
    rename(from, to, callback) {
      answer(callback, () => {
        const file = files.get(clean(from));
        if (!file) throw failure("ENOENT");
        files.delete(clean(from));
        files.set(clean(to), file);
      });
    },
    mkdir(path, mode, callback) {
      answer(callback, () => {
        path = clean(path);
        if (files.has(path) || folders.has(path)) throw failure("EEXIST");
        if (!folders.has(folder(path))) throw failure("ENOENT");
        folders.add(path);
      });
    },
    rmdir(path, callback) {
      answer(callback, () => {
        if (!folders.delete(clean(path))) throw failure("ENOENT");
      });
    },
    readdir(path, callback) {
      answer(callback, () => {
        path = clean(path);
        if (!folders.has(path)) throw failure("ENOENT");
        return [...files.keys(), ...folders].filter(p => p !== "/" && folder(p) === path).map(p => p.slice(p.lastIndexOf("/") + 1)).sort();
      });
    },
    ftruncate(fd, size, callback) {
      answer(callback, () => {
        const h = open.get(fd);
        if (!h || !h.file) throw failure("EBADF");
        resize(h.file, size);
      });
    },
    truncate(path, size, callback) {
      answer(callback, () => {
        const file = files.get(clean(path));
        if (!file) throw failure("ENOENT");
        resize(file, size);
      });
    },
    fsync: accept, chmod: accept, fchmod: accept, chown: accept, fchown: accept, lchown: accept, utimes: accept,
    link: refuse("ENOSYS"), symlink: refuse("ENOSYS"), readlink: refuse("EINVAL"),
  };

  return {
    fs, put, lazy, mkdirAll, clean,
    get: path => {
      const f = files.get(path);
      return f && f.data && f.data.subarray(0, f.size);
    },
    remove: path => files.delete(path),
    list: folder => [...files.keys()].filter(path => path.startsWith(folder)),
    fill: path => fill(files.get(path)),
    closeAll: () => open.clear(),
  };
};
