//! Descriptors: layouts of sets and pipelines, contents of sets, and the reuse of sets.
//!
//! The *slots* of a set are its bindings in ascending order, each with one descriptor. A device has one layout
//! object for each list of slots, so that kernels with the same list share their sets. A layout owns the sets
//! that no batch uses; a batch takes the sets that it needs and returns all of them when it has completed.
//! There are never more sets than were in use at once, up to the size of a pool.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use ash::vk;

use super::{Buffer, Call, Device, Image, Sampler, TexelBuffer, VkError};
use crate::lock::{Mutex, Rank};

static POOLS: AtomicU64 = AtomicU64::new(0);

/// Returns the number of descriptor pools made so far.
pub(crate) fn descriptor_pool_count() -> u64 {
    POOLS.load(Ordering::Relaxed)
}

/// The type of a binding.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum DescriptorKind {
    /// The argument buffer: a uniform buffer with a dynamic offset.
    Arguments,
    SampledImage,
    StorageImage,
    UniformTexelBuffer,
    StorageTexelBuffer,
    Sampler,
    StorageBuffer,
    UniformBuffer,
}

impl DescriptorKind {
    fn raw(self) -> vk::DescriptorType {
        match self {
            DescriptorKind::Arguments => vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC,
            DescriptorKind::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
            DescriptorKind::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
            DescriptorKind::UniformTexelBuffer => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            DescriptorKind::StorageTexelBuffer => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            DescriptorKind::Sampler => vk::DescriptorType::SAMPLER,
            DescriptorKind::StorageBuffer => vk::DescriptorType::STORAGE_BUFFER,
            DescriptorKind::UniformBuffer => vk::DescriptorType::UNIFORM_BUFFER,
        }
    }
}

/// A binding of a set: its number and its type.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Slot {
    pub binding: u32,
    pub kind: DescriptorKind,
}

/// The contents of one slot, in the form that an update template reads.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(C)]
pub(crate) struct Descriptor([u64; 3]);

// The entries of a template have this stride; each has one of these forms.
const _: () = assert!(size_of::<vk::DescriptorImageInfo>() <= size_of::<Descriptor>());
// In those of images, the layout follows two handles of 64 bits; some systems of 32 bits do not pad it.
const _: () = assert!(std::mem::offset_of!(vk::DescriptorImageInfo, image_layout) == 16);
const _: () = assert!(size_of::<vk::DescriptorBufferInfo>() == size_of::<Descriptor>());
const _: () = assert!(size_of::<vk::BufferView>() <= size_of::<Descriptor>());

impl Descriptor {
    fn image_view(view: vk::ImageView) -> Descriptor {
        use vk::Handle;
        let layout = super::image::LAYOUT.as_raw().to_ne_bytes();
        let mut last = [0; 8];
        last[..4].copy_from_slice(&layout);
        Descriptor([0, view.as_raw(), u64::from_ne_bytes(last)])
    }

    /// Returns the descriptor of an image to read.
    pub(crate) fn sampled(image: &Image) -> Descriptor {
        Descriptor::image_view(image.sampled)
    }

    /// Returns the descriptor of an image to write.
    pub(crate) fn storage(image: &Image) -> Descriptor {
        Descriptor::image_view(image.storage)
    }

    /// Returns the descriptor of a texel buffer.
    pub(crate) fn texels(texels: &TexelBuffer) -> Descriptor {
        use vk::Handle;
        Descriptor([texels.raw.as_raw(), 0, 0])
    }

    /// Returns the descriptor of a sampler.
    pub(crate) fn sampler(sampler: &Sampler) -> Descriptor {
        use vk::Handle;
        Descriptor([sampler.raw.as_raw(), 0, 0])
    }

    /// Returns the descriptor of a whole buffer.
    pub(crate) fn whole(buffer: &Buffer) -> Descriptor {
        Descriptor::buffer(buffer, 0, buffer.size())
    }

    /// Returns the descriptor of a range of a buffer, in bytes.
    pub(crate) fn buffer(buffer: &Buffer, offset: u64, range: u64) -> Descriptor {
        use vk::Handle;
        let end = offset.checked_add(range);
        assert!(
            range > 0 && end.is_some_and(|end| end <= buffer.size()),
            "a descriptor leaves its buffer: {range} bytes at {offset}"
        );
        Descriptor([buffer.raw.as_raw(), offset, range])
    }
}

/// The layout of a set, with the sets of this layout that are not in use.
pub(crate) struct SetLayout {
    device: Arc<Device>,
    pub(super) raw: vk::DescriptorSetLayout,
    template: vk::DescriptorUpdateTemplate,
    slots: Vec<Slot>,
    sets: Mutex<FreeSets>,
}

/// The sets of a layout that are not in use, and the pools of all its sets.
#[derive(Default)]
struct FreeSets {
    pools: Vec<vk::DescriptorPool>,
    made: u32,
    free: Vec<vk::DescriptorSet>,
}

impl std::fmt::Debug for SetLayout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SetLayout").field("slots", &self.slots).finish()
    }
}

/// The layouts of a device that are in use.
pub(super) struct SetLayouts(Mutex<Vec<Weak<SetLayout>>>);

impl SetLayouts {
    pub(super) fn new() -> SetLayouts {
        SetLayouts(Mutex::new(Rank::Cache, Vec::new()))
    }
}

impl SetLayout {
    /// Returns the layout with these slots, which are in ascending order of their bindings; makes it if no such
    /// layout is in use.
    pub(crate) fn get(device: &Arc<Device>, slots: &[Slot]) -> Result<Arc<SetLayout>, VkError> {
        let mut known = device.set_layouts.0.lock();
        known.retain(|l| l.strong_count() > 0);
        if let Some(found) = known.iter().filter_map(Weak::upgrade).find(|l| l.slots == slots) {
            return Ok(found);
        }
        let made = Arc::new(SetLayout::new(device, slots, &[])?);
        known.push(Arc::downgrade(&made));
        Ok(made)
    }

    /// Makes a layout of immutable samplers, given as pairs of binding and sampler. The caller keeps the
    /// samplers alive.
    pub(crate) fn of_samplers(
        device: &Arc<Device>,
        samplers: &[(u32, &Sampler)],
    ) -> Result<SetLayout, VkError> {
        let slots: Vec<_> = samplers
            .iter()
            .map(|(binding, _)| Slot {
                binding: *binding,
                kind: DescriptorKind::Sampler,
            })
            .collect();
        let raw: Vec<_> = samplers.iter().map(|(_, s)| s.raw).collect();
        SetLayout::new(device, &slots, &raw)
    }

    /// Makes a layout. `immutable` has one sampler per slot, or none.
    fn new(device: &Arc<Device>, slots: &[Slot], immutable: &[vk::Sampler]) -> Result<SetLayout, VkError> {
        let bindings: Vec<_> = slots
            .iter()
            .enumerate()
            .map(|(i, slot)| {
                let binding = vk::DescriptorSetLayoutBinding::default()
                    .binding(slot.binding)
                    .descriptor_type(slot.kind.raw())
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE);
                match immutable.get(i) {
                    Some(sampler) => binding.immutable_samplers(std::slice::from_ref(sampler)),
                    None => binding,
                }
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        super::fault::object("vkCreateDescriptorSetLayout")?;
        let occurs_once = |(i, slot): (usize, &Slot)| slots[..i].iter().all(|s| s.binding != slot.binding);
        assert!(
            slots.iter().enumerate().all(occurs_once),
            "a binding occurs twice"
        );
        // SAFETY: the device is alive, the create info is complete, and each binding occurs once, as asserted above.
        let raw = unsafe { device.raw.create_descriptor_set_layout(&info, None) }
            .call("vkCreateDescriptorSetLayout")?;
        let mut layout = SetLayout {
            device: Arc::clone(device),
            raw,
            template: vk::DescriptorUpdateTemplate::null(),
            slots: slots.to_vec(),
            sets: Mutex::new(Rank::Cache, FreeSets::default()),
        };
        if slots.is_empty() || !immutable.is_empty() {
            return Ok(layout);
        }
        let entries: Vec<_> = slots
            .iter()
            .enumerate()
            .map(|(i, slot)| {
                vk::DescriptorUpdateTemplateEntry::default()
                    .dst_binding(slot.binding)
                    .descriptor_count(1)
                    .descriptor_type(slot.kind.raw())
                    .offset(i * size_of::<Descriptor>())
                    .stride(size_of::<Descriptor>())
            })
            .collect();
        let info = vk::DescriptorUpdateTemplateCreateInfo::default()
            .descriptor_update_entries(&entries)
            .template_type(vk::DescriptorUpdateTemplateType::DESCRIPTOR_SET)
            .descriptor_set_layout(raw);
        super::fault::object("vkCreateDescriptorUpdateTemplate")?;
        // SAFETY: the entries are the layout's bindings.
        layout.template = unsafe { device.raw.create_descriptor_update_template(&info, None) }
            .call("vkCreateDescriptorUpdateTemplate")?;
        Ok(layout)
    }

    /// Returns a set that is not in use.
    fn take(&self) -> Result<vk::DescriptorSet, VkError> {
        let mut sets = self.sets.lock();
        if sets.free.is_empty() {
            let count = sets.made.clamp(1, 64);
            let (pool, more) = self.allocate(count)?;
            sets.pools.push(pool);
            sets.made += count;
            sets.free.extend(more);
        }
        Ok(sets.free.pop().expect("a pool has sets"))
    }

    /// Takes back sets that no pending command uses.
    fn give_back(&self, used: &[vk::DescriptorSet]) {
        if let Some(mut sets) = self.sets.lock_to_release() {
            sets.free.extend_from_slice(used);
        }
    }

    /// Allocates sets, with a pool for them alone.
    fn allocate(&self, count: u32) -> Result<(vk::DescriptorPool, Vec<vk::DescriptorSet>), VkError> {
        let mut sizes: Vec<vk::DescriptorPoolSize> = Vec::new();
        for slot in &self.slots {
            let ty = slot.kind.raw();
            match sizes.iter_mut().find(|s| s.ty == ty) {
                Some(size) => size.descriptor_count += count,
                None => sizes.push(vk::DescriptorPoolSize {
                    ty,
                    descriptor_count: count,
                }),
            }
        }
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(count)
            .pool_sizes(&sizes);
        super::fault::object("vkCreateDescriptorPool")?;
        // SAFETY: the device is alive.
        let pool =
            unsafe { self.device.raw.create_descriptor_pool(&info, None) }.call("vkCreateDescriptorPool")?;
        POOLS.fetch_add(1, Ordering::Relaxed);
        let layouts = vec![self.raw; count as usize];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&layouts);
        // SAFETY: pool and layout are alive, and the pool has room for the sets.
        match unsafe { self.device.raw.allocate_descriptor_sets(&info) }.call("vkAllocateDescriptorSets") {
            Ok(sets) => Ok((pool, sets)),
            Err(e) => {
                // SAFETY: nothing uses the pool.
                unsafe { self.device.raw.destroy_descriptor_pool(pool, None) };
                Err(e)
            }
        }
    }
}

impl Drop for SetLayout {
    fn drop(&mut self) {
        for pool in &self.sets.get_mut().pools {
            // SAFETY: every user of a set holds the set's layout, so no set is in use.
            unsafe { self.device.raw.destroy_descriptor_pool(*pool, None) };
        }
        // SAFETY: sets and pipeline layouts that were made with this layout hold it, so none is left.
        unsafe {
            self.device
                .raw
                .destroy_descriptor_update_template(self.template, None);
        };
        // SAFETY: as above.
        unsafe { self.device.raw.destroy_descriptor_set_layout(self.raw, None) };
    }
}

/// The layout of a pipeline with descriptor sets of its own. Its push constant range is that of the device's
/// common layout.
pub(crate) struct PipelineLayout {
    device: Arc<Device>,
    pub(super) raw: vk::PipelineLayout,
    _sets: Vec<Arc<SetLayout>>,
}

impl PipelineLayout {
    /// Makes the layout of sets 0, 1, …
    pub(crate) fn new(device: &Arc<Device>, sets: Vec<Arc<SetLayout>>) -> Result<PipelineLayout, VkError> {
        let raw: Vec<_> = sets.iter().map(|s| s.raw).collect();
        let range = [device.layout.push_constants()];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&raw)
            .push_constant_ranges(&range);
        super::fault::object("vkCreatePipelineLayout")?;
        // SAFETY: the device and the layouts are alive.
        let raw = unsafe { device.raw.create_pipeline_layout(&info, None) };
        Ok(PipelineLayout {
            device: Arc::clone(device),
            raw: device.note(raw.call("vkCreatePipelineLayout"))?,
            _sets: sets,
        })
    }
}

impl Drop for PipelineLayout {
    fn drop(&mut self) {
        // SAFETY: pipelines and the commands that bind sets for them hold their kernel, which holds the layout.
        unsafe { self.device.raw.destroy_pipeline_layout(self.raw, None) };
    }
}

/// A descriptor set, valid as long as the [`RecycledSets`] or [`FixedSet`] that it came from keeps it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Set(pub(super) vk::DescriptorSet);

/// A set that is never written: all its slots are immutable samplers.
pub(crate) struct FixedSet {
    layout: Arc<SetLayout>,
    set: Set,
}

impl FixedSet {
    /// Takes a set of a layout of immutable samplers.
    pub(crate) fn new(layout: Arc<SetLayout>) -> Result<FixedSet, VkError> {
        let set = Set(layout.take()?);
        Ok(FixedSet { layout, set })
    }

    pub(crate) fn layout(&self) -> &Arc<SetLayout> {
        &self.layout
    }

    pub(crate) fn set(&self) -> Set {
        self.set
    }
}

/// The sets of one layout that a batch uses.
struct Family {
    layout: Arc<SetLayout>,
    sets: Vec<vk::DescriptorSet>,
    /// The contents of the sets, one after the other.
    contents: Vec<Descriptor>,
    /// The number of consecutive batches that did not need the layout.
    idle: u32,
}

impl Drop for Family {
    fn drop(&mut self) {
        self.layout.give_back(&self.sets);
    }
}

/// The sets of one batch, with their contents, so that equal contents share a set.
#[derive(Default)]
pub(crate) struct RecycledSets {
    families: Vec<Family>,
}

/// A layout that this many consecutive batches have not used is dropped.
const MOST_IDLE: u32 = 32;
/// The number of sets of the same layout that are searched for equal contents, the last ones first.
const SEARCHED: usize = 8;

impl RecycledSets {
    /// Returns a set with the given contents, one descriptor per slot. If possible, it is a set that this batch
    /// uses already. The objects that the descriptors name stay alive until [`RecycledSets::clear`] (the
    /// caller).
    pub(crate) fn get(&mut self, layout: &Arc<SetLayout>, contents: &[Descriptor]) -> Result<Set, VkError> {
        assert_eq!(contents.len(), layout.slots.len(), "one descriptor per slot");
        let at = match self.families.iter().position(|f| Arc::ptr_eq(&f.layout, layout)) {
            Some(at) => at,
            None => {
                self.families.push(Family {
                    layout: Arc::clone(layout),
                    sets: Vec::new(),
                    contents: Vec::new(),
                    idle: 0,
                });
                self.families.len() - 1
            }
        };
        let family = &mut self.families[at];
        if contents.is_empty() {
            // All sets without slots are the same.
            if let Some(set) = family.sets.first() {
                return Ok(Set(*set));
            }
        }
        let width = contents.len().max(1);
        let same = family.contents.chunks(width).rev().take(SEARCHED);
        if let Some(back) = same.into_iter().position(|c| c == contents) {
            return Ok(Set(family.sets[family.sets.len() - 1 - back]));
        }
        let set = layout.take()?;
        family.sets.push(set);
        family.contents.extend_from_slice(contents);
        if !contents.is_empty() {
            // SAFETY: no pending command uses the set: `take` returns only new sets and those that a batch has given back.
            // The template has one entry of the form [`Descriptor`] for each slot, and there are as many, as asserted
            // above. Each is of its slot's kind, and its object is kept until `clear` (the caller, by the batch rule).
            unsafe {
                layout.device.raw.update_descriptor_set_with_template(
                    set,
                    layout.template,
                    contents.as_ptr().cast(),
                );
            };
        }
        Ok(Set(set))
    }

    /// Returns all sets to their layouts and forgets their contents. The batch must have completed.
    pub(crate) fn clear(&mut self) {
        for family in &mut self.families {
            family.idle = if family.sets.is_empty() {
                family.idle + 1
            } else {
                0
            };
            family.layout.give_back(&family.sets);
            family.sets.clear();
            family.contents.clear();
        }
        self.families.retain(|f| f.idle < MOST_IDLE);
    }
}
