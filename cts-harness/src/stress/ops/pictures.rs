//! The operations on images.

use super::{Thread, difference, words};
use crate::Failure;
use crate::cl::{Argument, Memory, Place};
use crate::random::Random;
use crate::stress::world::Outcome;
use opencl_sys::{CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION};
use std::sync::Arc;

/// Returns a random box in an image.
fn place(random: &mut Random, size: [usize; 3]) -> Place {
    let mut place = Place::all(size);
    if !random.one_in(4) {
        for (i, most) in size.into_iter().enumerate() {
            let range = random.range(most);
            (place.origin[i], place.region[i]) = (range.start, range.len());
        }
    }
    place
}

/// Returns the bytes of the box, without gaps.
fn gather(shadow: &[u8], size: [usize; 3], place: Place) -> Vec<u8> {
    let row = |at: usize| shadow[at..][..4 * place.region[0]].iter().copied();
    place.rows(size).flat_map(row).collect()
}

/// Stores the bytes of the box.
fn scatter(shadow: &mut [u8], size: [usize; 3], place: Place, bytes: &[u8]) {
    let row = 4 * place.region[0];
    for (at, from) in place.rows(size).zip(bytes.chunks(row)) {
        shadow[at..][..row].copy_from_slice(from);
    }
}

/// Reads or writes a box of an image.
pub(super) fn transfer(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let Some(mut picture) = world.contexts[t.at].picture(&mut t.random) else {
        return Ok(());
    };
    let picture = &mut *picture;
    let place = place(&mut t.random, picture.size);
    let write = t.random.one_in(2);
    let bytes = t.random.bytes(place.bytes());
    let memory = Memory::new(bytes.clone());
    let before = match write {
        true => picture.object.before_write(),
        false => picture.object.before_read(),
    };
    let next = t.next(before)?;
    let what = (&picture.object.mem, place);
    let event = next.queue.raw.image_transfer(what, write, &memory, &next.after)?;
    let mut expected = Vec::new();
    match (next.outcome, write) {
        (Outcome::Failed, _) => {}
        (Outcome::Done, true) => {
            scatter(&mut picture.object.shadow, picture.size, place, &bytes);
            picture.object.written_by(&event);
        }
        (Outcome::Done, false) => {
            expected = gather(&picture.object.shadow, picture.size, place);
            picture.object.read_by(&event);
        }
    }
    t.enqueued("image transfer", &next, event, vec![memory], expected)
}

/// Fills a box of an image.
pub(super) fn fill(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let Some(mut picture) = world.contexts[t.at].picture(&mut t.random) else {
        return Ok(());
    };
    let picture = &mut *picture;
    let place = place(&mut t.random, picture.size);
    let value = t.random.word();
    let next = t.next(picture.object.before_write())?;
    let what = (&picture.object.mem, place);
    let event = next.queue.raw.image_fill(what, value, &next.after)?;
    if next.outcome == Outcome::Done {
        let bytes: Vec<u8> = value
            .to_ne_bytes()
            .into_iter()
            .cycle()
            .take(place.bytes())
            .collect();
        scatter(&mut picture.object.shadow, picture.size, place, &bytes);
        picture.object.written_by(&event);
    }
    t.enqueued("image fill", &next, event, Vec::new(), Vec::new())
}

/// Copies a box from one image to another.
pub(super) fn copy(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let Some([mut src, mut dst]) = world.contexts[t.at].two_pictures(&mut t.random) else {
        return Ok(());
    };
    let (src, dst) = (&mut *src, &mut *dst);
    let mut from = place(&mut t.random, src.size);
    let mut to = from;
    for i in 0..3 {
        from.region[i] = from.region[i].min(dst.size[i]);
        to.origin[i] = t.random.below(dst.size[i] - from.region[i] + 1);
    }
    to.region = from.region;
    let mut after = src.object.before_read();
    after.extend(dst.object.before_write());
    let next = t.next(after)?;
    let (a, b) = ((&src.object.mem, from), (&dst.object.mem, to.origin));
    let event = next.queue.raw.image_copy(a, b, &next.after)?;
    if next.outcome == Outcome::Done {
        let bytes = gather(&src.object.shadow, src.size, from);
        scatter(&mut dst.object.shadow, dst.size, to, &bytes);
        src.object.read_by(&event);
        dst.object.written_by(&event);
    }
    t.enqueued("image copy", &next, event, Vec::new(), Vec::new())
}

/// Copies a box of an image to a buffer, or back.
pub(super) fn exchange(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    // Lock images before buffers, so that two threads cannot deadlock.
    let Some(mut picture) = world.contexts[t.at].picture(&mut t.random) else {
        return Ok(());
    };
    let picture = &mut *picture;
    let mut object = world.contexts[t.at].one(&mut t.random);
    let place = place(&mut t.random, picture.size);
    let size = place.bytes();
    if size > object.shadow.len() {
        return Ok(());
    }
    let to_image = t.random.one_in(2);
    let offset = t.random.below(object.shadow.len() - size + 1);
    let after: Vec<_> = match to_image {
        true => [picture.object.before_write(), object.before_read()].concat(),
        false => [picture.object.before_read(), object.before_write()].concat(),
    };
    let next = t.next(after)?;
    let (a, b) = ((&picture.object.mem, place), (&object.mem, offset));
    let event = next.queue.raw.image_buffer_copy(a, b, to_image, &next.after)?;
    match (next.outcome, to_image) {
        (Outcome::Failed, _) => {}
        (Outcome::Done, true) => {
            let bytes = &object.shadow[offset..][..size];
            scatter(&mut picture.object.shadow, picture.size, place, bytes);
            picture.object.written_by(&event);
            object.read_by(&event);
        }
        (Outcome::Done, false) => {
            let bytes = gather(&picture.object.shadow, picture.size, place);
            object.shadow[offset..][..size].copy_from_slice(&bytes);
            picture.object.read_by(&event);
            object.written_by(&event);
        }
    }
    drop(object);
    t.enqueued("image and buffer", &next, event, Vec::new(), Vec::new())
}

/// Maps a box of an image, checks it, at times stores into it, and unmaps it.
pub(super) fn map(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let Some(mut picture) = world.contexts[t.at].picture(&mut t.random) else {
        return Ok(());
    };
    let picture = &mut *picture;
    let place = place(&mut t.random, picture.size);
    let flags = [
        CL_MAP_READ,
        CL_MAP_READ | CL_MAP_WRITE,
        CL_MAP_WRITE_INVALIDATE_REGION,
    ];
    let flags = flags[t.random.below(3)];
    let mut next = t.next(picture.object.before_write())?;
    if next.outcome == Outcome::Failed {
        return Ok(());
    }
    let what = (&picture.object.mem, place);
    let (rows, event) = next.queue.raw.image_map(what, flags, &next.after)?;
    t.context().flush()?;
    event.wait()?;
    let expected = gather(&picture.object.shadow, picture.size, place);
    let row = 4 * place.region[0];
    for (mapped, expected) in rows.iter().zip(expected.chunks(row)) {
        if flags != CL_MAP_WRITE_INVALIDATE_REGION
            && let Some(why) = difference(mapped.bytes(), expected)
        {
            return fail!("{why}; {place:?} of {:?}", picture.size);
        }
    }
    if flags != CL_MAP_READ {
        let bytes = t.random.bytes(place.bytes());
        for (mapped, bytes) in rows.iter().zip(bytes.chunks(row)) {
            mapped.store(bytes);
        }
        scatter(&mut picture.object.shadow, picture.size, place, &bytes);
    }
    next.after = vec![event];
    // The unmap command may be in another queue, of another device.
    next.queue = t.any_queue();
    let Some(first) = rows.into_iter().next() else {
        return fail!("a mapping without rows");
    };
    let event = next.queue.raw.unmap(&picture.object.mem, first, &next.after)?;
    picture.object.written_by(&event);
    t.enqueued("image unmap", &next, event, Vec::new(), Vec::new())
}

/// Launches a kernel on two images, if both are 2D.
pub(super) fn ink(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let Some([mut src, mut dst]) = world.contexts[t.at].two_pictures(&mut t.random) else {
        return Ok(());
    };
    let (src, dst) = (&mut *src, &mut *dst);
    if src.size[2] > 1 || dst.size[2] > 1 {
        return Ok(());
    }
    let (w, h) = (src.size[0].min(dst.size[0]), src.size[1].min(dst.size[1]));
    let m = t.random.word();
    let mut after = src.object.before_read();
    after.extend(dst.object.before_write());
    let next = t.next(after)?;
    let kernel = &t.kernels[t.at][3];
    kernel.set_all(&[
        Argument::Memory(&src.object.mem),
        Argument::Memory(&dst.object.mem),
        Argument::U32(m),
        Argument::U32(w as u32),
    ])?;
    let event = next.queue.raw.launch(kernel, w * h, None, &next.after)?;
    if next.outcome == Outcome::Done {
        let place = Place {
            origin: [0; 3],
            region: [w, h, 1],
        };
        let mut bytes = gather(&src.object.shadow, src.size, place);
        for (i, texel) in words(&mut bytes).enumerate() {
            let value = u32::from_ne_bytes(*texel).wrapping_mul(m);
            *texel = value.wrapping_add((i % w + i / w) as u32).to_ne_bytes();
        }
        scatter(&mut dst.object.shadow, dst.size, place, &bytes);
        src.object.read_by(&event);
        dst.object.written_by(&event);
    }
    t.enqueued("ink", &next, event, Vec::new(), Vec::new())
}

/// Replaces an image while commands still use it.
pub(super) fn replace(t: &mut Thread) -> Result<(), Failure> {
    let world = Arc::clone(&t.world);
    let context = &world.contexts[t.at];
    if context.pictures.is_empty() {
        return Ok(());
    }
    let fresh = context.new_picture(&world, &mut t.random)?;
    if let Some(mut old) = context.picture(&mut t.random) {
        let old = std::mem::replace(&mut *old, fresh);
        drop(old);
    }
    Ok(())
}
