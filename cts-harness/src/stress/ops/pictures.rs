//! The operations on images.

use super::{Access, Done, Object, Of, Thread, difference, replace_words};
use crate::cl::{Argument, Memory, Place};
use crate::random::Random;
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
pub(super) fn transfer(t: &mut Thread) -> Done {
    let access = Access::random(&mut t.random);
    t.command("image transfer", (Of::Picture, access), |t, c| {
        let size = c.object.size;
        let place = place(&mut t.random, size);
        let bytes = t.random.bytes(place.bytes());
        let memory = Memory::new(bytes.clone());
        let (queue, is_write) = (&c.next.queue.raw, access == Access::Write);
        let event = queue.image_transfer((&c.mem, place), is_write, &memory, &c.next.after)?;
        c.memory.push(memory);
        match (c.contents(), access) {
            (None, _) => {}
            (Some(all), Access::Write) => scatter(all, size, place, &bytes),
            (Some(all), Access::Read) => c.expected = gather(all, size, place),
        }
        Ok(Some(event))
    })
}

/// Fills a box of an image.
pub(super) fn fill(t: &mut Thread) -> Done {
    t.command("image fill", (Of::Picture, Access::Write), |t, c| {
        let size = c.object.size;
        let place = place(&mut t.random, size);
        let value = t.random.word();
        let event = c
            .next
            .queue
            .raw
            .image_fill((&c.mem, place), value, &c.next.after)?;
        if let Some(all) = c.contents() {
            scatter(all, size, place, &value.to_ne_bytes().repeat(place.bytes() / 4));
        }
        Ok(Some(event))
    })
}

/// Copies a box from one image to another.
pub(super) fn copy(t: &mut Thread) -> Done {
    t.command_on_two("image copy", true, |t, next, src, dst| {
        let mut from = place(&mut t.random, src.size);
        let mut to = from;
        for i in 0..3 {
            from.region[i] = from.region[i].min(dst.size[i]);
            to.origin[i] = t.random.below(dst.size[i] - from.region[i] + 1);
        }
        to.region = from.region;
        let (a, b) = ((&src.mem, from), (&dst.mem, to.origin));
        let event = next.queue.raw.image_copy(a, b, &next.after)?;
        if !next.is_to_fail() {
            let bytes = gather(&src.shadow, src.size, from);
            scatter(&mut dst.shadow, dst.size, to, &bytes);
        }
        Ok(Some(event))
    })
}

/// Copies a box of an image to a buffer, or back.
pub(super) fn exchange(t: &mut Thread) -> Done {
    let world = Arc::clone(&t.world);
    let context = &world.contexts[t.at];
    // Lock images before buffers, so that two threads cannot deadlock.
    let [picture, buffer] = [true, false].map(|pictures| context.one(pictures, &mut t.random));
    let (Some(mut picture), Some(mut buffer)) = (picture, buffer) else {
        return Ok(());
    };
    let picture = &mut *picture;
    let place = place(&mut t.random, picture.size);
    let size = place.bytes();
    if size > buffer.shadow.len() {
        return Ok(());
    }
    let to_image = t.random.one_in(2);
    let offset = t.random.below(buffer.shadow.len() - size + 1);
    let (of_picture, of_buffer) = match to_image {
        true => (Access::Write, Access::Read),
        false => (Access::Read, Access::Write),
    };
    let mut after = picture.dependencies.before(of_picture);
    after.extend(buffer.dependencies.before(of_buffer));
    let next = t.next(after)?;
    let (a, b) = ((&picture.mem, place), (&buffer.mem, offset));
    let event = next.queue.raw.image_buffer_copy(a, b, to_image, &next.after)?;
    if !next.is_to_fail() {
        let bytes = &mut buffer.shadow[offset..][..size];
        match to_image {
            true => scatter(&mut picture.shadow, picture.size, place, bytes),
            false => bytes.copy_from_slice(&gather(&picture.shadow, picture.size, place)),
        }
        picture.dependencies.add(of_picture, &event);
        buffer.dependencies.add(of_buffer, &event);
    }
    drop(buffer);
    t.enqueued("image and buffer", &next, event, Vec::new(), Vec::new())
}

/// Maps a box of an image, checks it, at times stores into it, and unmaps it.
pub(super) fn map(t: &mut Thread) -> Done {
    t.command("image unmap", (Of::Picture, Access::Write), |t, c| {
        let size = c.object.size;
        let place = place(&mut t.random, size);
        let flags = [
            CL_MAP_READ,
            CL_MAP_READ | CL_MAP_WRITE,
            CL_MAP_WRITE_INVALIDATE_REGION,
        ];
        let flags = flags[t.random.below(3)];
        if c.next.is_to_fail() {
            return Ok(None);
        }
        let (mut rows, event) = c
            .next
            .queue
            .raw
            .image_map((&c.mem, place), flags, &c.next.after)?;
        t.context().flush()?;
        event.wait()?;
        let expected = gather(&c.object.shadow, size, place);
        let row = 4 * place.region[0];
        for (mapped, expected) in rows.iter().zip(expected.chunks(row)) {
            if flags != CL_MAP_WRITE_INVALIDATE_REGION
                && let Some(why) = difference(mapped.bytes(), expected)
            {
                return fail!("{why}; {place:?} of {size:?}");
            }
        }
        if flags != CL_MAP_READ {
            let bytes = t.random.bytes(place.bytes());
            for (mapped, bytes) in rows.iter().zip(bytes.chunks(row)) {
                mapped.store(bytes);
            }
            scatter(&mut c.object.shadow, size, place, &bytes);
        }
        c.next.after = vec![event];
        // The unmap command may be in another queue, of another device.
        c.next.queue = t.any_queue();
        let queue = &c.next.queue.raw;
        queue.unmap(&c.mem, rows.swap_remove(0), &c.next.after).map(Some)
    })
}

/// Launches a kernel on two images, if both are 2D.
pub(super) fn ink(t: &mut Thread) -> Done {
    t.command_on_two("ink", true, |t, next, src, dst| {
        if src.size[2] > 1 || dst.size[2] > 1 {
            return Ok(None);
        }
        let (w, h) = (src.size[0].min(dst.size[0]), src.size[1].min(dst.size[1]));
        let m = t.random.word();
        let [a, b] = [&src.mem, &dst.mem].map(Argument::Memory);
        let kernel = t.kernel(3, &[a, b, Argument::U32(m), Argument::U32(w as u32)])?;
        let event = next.launch(kernel, w * h, None)?;
        if !next.is_to_fail() {
            let place = Place::all([w, h, 1]);
            let mut bytes = gather(&src.shadow, src.size, place);
            replace_words(&mut bytes, |i, texel| {
                texel.wrapping_mul(m).wrapping_add((i % w + i / w) as u32)
            });
            scatter(&mut dst.shadow, dst.size, place, &bytes);
        }
        Ok(Some(event))
    })
}

/// Replaces an image while commands still use it.
pub(super) fn replace(t: &mut Thread) -> Done {
    let world = Arc::clone(&t.world);
    let context = &world.contexts[t.at];
    if !context.pictures.is_empty() {
        let fresh = Object::new_picture(&world, t.at, &mut t.random)?;
        context.replace(true, fresh, &mut t.random);
    }
    Ok(())
}
