//! Tests of the store on disk.

use std::time::{Duration, SystemTime};

use super::*;

const MIB: u64 = 1 << 20;

/// A directory for a test, which is removed when the test ends.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let dir = std::env::temp_dir().join(format!("caldera-cache-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        Dir(dir)
    }

    fn store(&self, limit: u64) -> Store {
        Store::new(&self.0, limit)
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn key(n: u32) -> Key {
    Key::new("test", &[b"part", &n.to_le_bytes()])
}

fn files(store: &Store) -> usize {
    (0..SHARDS)
        .filter_map(|s| std::fs::read_dir(store.shard_dir(s)).ok())
        .map(Iterator::count)
        .sum()
}

#[test]
fn what_was_put_is_got_also_by_another_process() {
    let dir = Dir::new("put");
    let store = dir.store(MIB);
    assert_eq!(store.get(&key(1)), None);
    store.put(&key(1), b"one");
    store.put(&key(2), b"");
    store.put(&key(1), b"uno");
    for store in [store, dir.store(MIB)] {
        assert_eq!(store.get(&key(1)).as_deref(), Some(&b"uno"[..]));
        assert_eq!(store.get(&key(2)).as_deref(), Some(&b""[..]));
        assert_eq!(store.get(&key(3)), None);
        assert_eq!(files(&store), 2);
    }
}

#[test]
fn keys_differ_by_their_parts() {
    let same = |a: &Key, b: &Key| a == b;
    assert!(!same(
        &Key::new("k", &[b"ab", b"c"]),
        &Key::new("k", &[b"a", b"bc"])
    ));
    assert!(!same(&Key::new("k", &[b"a"]), &Key::new("l", &[b"a"])));
    assert!(!same(&Key::new("k", &[b"a"]), &Key::new("k", &[b"a", b""])));
    assert!(same(&Key::new("k", &[b"a"]), &Key::new("k", &[b"a"])));
}

#[test]
fn damaged_entries_are_not_believed_and_go() {
    let dir = Dir::new("damage");
    let store = dir.store(MIB);
    let path = store.path(&key(1));
    store.put(&key(1), b"value");
    let good = std::fs::read(&path).expect("entry");
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        std::fs::write(&path, &bad).expect("write");
        assert_eq!(store.get(&key(1)), None, "byte {at}");
        assert!(!path.exists(), "byte {at}");
        std::fs::write(&path, &good[..at]).expect("write");
        assert_eq!(store.get(&key(1)), None, "cut at {at}");
        assert!(!path.exists(), "cut at {at}");
    }
    // An intact entry of another key under this name is kept.
    std::fs::write(&path, entry::encode(&key(2), b"two")).expect("write");
    assert_eq!(store.get(&key(1)), None);
    assert!(path.exists());
    store.put(&key(1), b"again");
    assert_eq!(store.get(&key(1)).as_deref(), Some(&b"again"[..]));
}

#[test]
fn the_least_recently_used_go_first() {
    let dir = Dir::new("evict");
    let store = dir.store(16 * 64 * 1024);
    let hour = Duration::from_secs(3600);
    let of_shard: Vec<Key> = (0..).map(key).filter(|k| k.shard() == 3).take(40).collect();
    for (i, k) in of_shard.iter().enumerate() {
        store.put(k, &[7; 3000]);
        let file = std::fs::File::options()
            .append(true)
            .open(store.path(k))
            .expect("entry");
        file.set_modified(SystemTime::now() - hour * (100 - i as u32))
            .expect("time");
        // Number 0 is in use all the time.
        if i > 0 {
            let _ = store.get(&of_shard[0]);
        }
    }
    let there: Vec<bool> = of_shard.iter().map(|k| store.get(k).is_some()).collect();
    assert!(there[0], "what is used stays");
    assert!(there[39], "the newest stays");
    assert!(!there[1], "the oldest goes");
    let first = there[1..].iter().position(|t| *t).expect("some stay");
    assert!(
        there[1 + first..].iter().all(|t| *t),
        "in the order of use: {there:?}"
    );
    assert!(there.iter().filter(|t| **t).count() * 3100 <= 64 * 1024);
}

#[test]
fn what_dying_processes_leave_is_cleared_away() {
    let dir = Dir::new("died");
    let store = dir.store(MIB);
    store.put(&key(1), b"one");
    let shard = store.shard_dir(key(1).shard());
    let (old, new) = (shard.join("1-0.tmp"), shard.join("2-0.tmp"));
    for path in [&old, &new] {
        std::fs::write(path, b"half an en").expect("write");
    }
    let file = std::fs::File::options().append(true).open(&old).expect("file");
    file.set_modified(SystemTime::now() - Duration::from_secs(7200))
        .expect("time");
    // Another process counts the bytes of the shard when it writes its first entry there.
    dir.store(MIB).put(&key(1), b"one");
    assert!(!old.exists() && new.exists());
}

#[test]
fn a_place_that_cannot_be_written_is_no_cache() {
    let dir = Dir::new("file");
    std::fs::write(&dir.0, b"a file, not a directory").expect("write");
    let store = dir.store(MIB);
    store.put(&key(1), b"one");
    assert_eq!(store.get(&key(1)), None);
    assert!(store.broken.load(Ordering::Relaxed));
    std::fs::remove_file(&dir.0).expect("remove");
}

#[test]
fn no_entry_is_larger_than_its_share() {
    let dir = Dir::new("large");
    let store = dir.store(16 * 4096);
    store.put(&key(1), &[0; 2000]);
    assert_eq!(store.get(&key(1)), None);
}

#[test]
fn many_writers_of_one_directory() {
    let dir = Dir::new("many");
    std::thread::scope(|s| {
        for t in 0..4u32 {
            let store = dir.store(MIB);
            s.spawn(move || {
                for i in 0..200u32 {
                    let n = (i * 7 + t) % 20;
                    let value = vec![n as u8; 100 + n as usize];
                    if let Some(found) = store.get(&key(n)) {
                        assert_eq!(found, value);
                    }
                    store.put(&key(n), &value);
                }
            });
        }
    });
    assert_eq!(files(&dir.store(MIB)), 20);
}

/// A temporary file left by a process that was killed while it wrote is never read, whatever part of an entry
/// it has.
#[test]
fn half_of_an_entry_under_a_temporary_name_is_no_entry() {
    let dir = Dir::new("half");
    let store = dir.store(MIB);
    store.put(&key(1), b"one");
    let whole = std::fs::read(store.path(&key(1))).expect("entry");
    std::fs::remove_file(store.path(&key(1))).expect("remove");
    let shard = store.shard_dir(key(1).shard());
    for length in [0, 1, whole.len() / 2, whole.len()] {
        std::fs::write(shard.join(format!("9-{length}.tmp")), &whole[..length]).expect("write");
        assert_eq!(store.get(&key(1)), None);
    }
    store.put(&key(1), b"two");
    assert_eq!(store.get(&key(1)).as_deref(), Some(&b"two"[..]));
}

/// Entries that other users could have written are not used, and nothing is written where they could replace
/// it.
#[test]
#[cfg(unix)]
fn places_that_others_can_write_to_are_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let mode = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
    };
    let dir = Dir::new("others");
    let filled = || {
        let store = dir.store(MIB);
        store.put(&key(1), b"one");
        assert_eq!(store.get(&key(1)).as_deref(), Some(&b"one"[..]));
        store
    };
    let store = filled();
    let (shard, path) = (store.shard_dir(key(1).shard()), store.path(&key(1)));
    for (place, own) in [(&dir.0, 0o700), (&store.root, 0o700), (&shard, 0o700)] {
        for others in [0o770, 0o702, 0o1777] {
            mode(place, others);
            let store = dir.store(MIB);
            assert_eq!(store.get(&key(1)), None, "{} {others:o}", place.display());
            store.put(&key(2), b"two");
            assert!(!store.path(&key(2)).exists(), "{} {others:o}", place.display());
            // The same process does not use it later either.
            mode(place, own);
            assert_eq!(store.get(&key(1)), None);
        }
        mode(place, 0o755);
        assert!(dir.store(MIB).get(&key(1)).is_some(), "others may read");
        mode(place, own);
    }
    for others in [0o620, 0o602] {
        mode(&path, others);
        assert_eq!(store.get(&key(1)), None, "an entry of mode {others:o}");
        assert!(path.exists());
        filled();
        assert_eq!(
            std::fs::metadata(&path).expect("new").permissions().mode() & 0o777,
            0o600
        );
    }
    // An entry or a directory that is a symbolic link is not used; the cache's own directory may be one.
    let elsewhere = dir.0.join("elsewhere");
    std::fs::rename(&path, &elsewhere).expect("renamed");
    symlink(&elsewhere, &path).expect("a link");
    assert_eq!(dir.store(MIB).get(&key(1)), None, "a link to an entry");
    std::fs::remove_file(&path).expect("removed");
    std::fs::rename(&elsewhere, &path).expect("renamed");
    assert!(dir.store(MIB).get(&key(1)).is_some());
    std::fs::rename(&shard, &elsewhere).expect("renamed");
    symlink(&elsewhere, &shard).expect("a link");
    assert_eq!(dir.store(MIB).get(&key(1)), None, "a link to a directory");
    std::fs::remove_file(&shard).expect("removed");
    std::fs::rename(&elsewhere, &shard).expect("renamed");
    let link = Dir::new("others-link");
    symlink(&dir.0, &link.0).expect("a link");
    assert!(
        link.store(MIB).get(&key(1)).is_some(),
        "the cache's place is a link"
    );
    std::fs::remove_file(&link.0).expect("removed");
}
