//! Parser for strings, globals and kernels.

use super::ParseError;
use super::function;
use super::lex::Tokens;
use crate::abi::Slot;
use crate::check::Area;
use crate::intrinsic::{ImageShape, SamplerMask};
use crate::ir::names::Named;
use crate::ir::{
    AddressSpace, ArgKind, ArgLocation, EntityRef, FactLocation, Func, Global, GlobalData, HandleFact,
    Initializer, KernelAbi, KernelArg, KernelInfo, Linkage, MemoryObject, Module, PointerUse, PrintfEntry,
    RequiredSubgroups,
};

type Result<T> = std::result::Result<T, ParseError>;

pub(super) fn parse(t: &mut Tokens<'_>) -> Result<Module> {
    let mut m = Module::default();
    while !t.at_end() {
        match t.word()? {
            "string" => {
                if t.u64()? != m.strings.len() as u64 {
                    return t.error("strings must be numbered in order");
                }
                let text = t.text()?;
                m.strings.push(text);
            }
            "global" => {
                if t.entity("@g")? as usize != m.globals.len() {
                    return t.error("globals must be numbered in order");
                }
                let global = global(t)?;
                m.globals.push(global);
            }
            word @ ("func" | "inline" | "static" | "declare") => {
                if t.entity("@f")? as usize != m.funcs.len() {
                    return t.error("functions must be numbered in order");
                }
                let linkage = Linkage::ALL.into_iter().find(|l| l.word() == word);
                let defined = linkage.is_some();
                let mut func = function::parse(t, defined)?;
                func.linkage = linkage.unwrap_or_default();
                let id = m.funcs.push(func);
                if !defined {
                    m.undefined.push(id);
                }
            }
            "kernel" => kernel(t, &mut m)?,
            "constants" => {
                m.constant_data.bytes = t.text()?;
                if t.accept_word("size") {
                    m.constant_data.size = t.u32()?;
                    m.constant_data.variables = t.u32_after("variables")?;
                }
                if t.accept_word("align") {
                    m.constant_data.align = t.u32()?;
                }
                while t.accept_word("reloc") {
                    m.constant_data.relocations.push((t.u32()?, t.u32()?));
                }
            }
            "system" => system(t, &mut m)?,
            "printf" => {
                let mut entry = PrintfEntry {
                    text: t.text()?,
                    sizes: Vec::new(),
                };
                while t.more_on_line() {
                    entry.sizes.push(t.u32()?);
                }
                m.printf.entries.push(entry);
            }
            "prints" => {
                let func = Func::new(t.entity("@f")? as usize);
                m.printf.kernels.push(func);
            }
            "checks" => {
                m.printf.checks = Some(Area {
                    sizes: t.u32()?,
                    counters: t.u32()?,
                    allocations: t.u32()?,
                    unit: t.u32()?,
                });
            }
            "sampler" => m.literal_samplers.push(SamplerMask(t.u32()?)),
            "slots" => slots(t, &mut m)?,
            other => return t.error(format!("'{other}' starts nothing")),
        }
    }
    Ok(m)
}

fn slots(t: &mut Tokens<'_>, m: &mut Module) -> Result<()> {
    while t.more_on_line() {
        let word = t.word()?;
        let set = t.u32()?;
        match word {
            "samplers" => m.slots.literal_samplers = set,
            "constants" => m.slots.constants = Some(slot(t, set)?),
            "printf" => m.slots.printf = Some(slot(t, set)?),
            other => return t.error(format!("'{other}' is no descriptor of a module")),
        }
    }
    Ok(())
}

fn space(t: &mut Tokens<'_>) -> Result<AddressSpace> {
    let word = t.word()?;
    match AddressSpace::from_name(word) {
        Some(space) => Ok(space),
        None => t.error(format!("'{word}' is no address space")),
    }
}

fn shape(t: &mut Tokens<'_>) -> Result<ImageShape> {
    let word = t.word()?;
    match ImageShape::ALL.into_iter().find(|s| s.name() == word) {
        Some(shape) => Ok(shape),
        None => t.error(format!("'{word}' is no shape of images")),
    }
}

fn fact(t: &mut Tokens<'_>) -> Result<FactLocation> {
    let arg = t.u32()?;
    let word = t.word()?;
    let Some(fact) = HandleFact::from_name(word) else {
        return t.error(format!("'{word}' is nothing of an argument"));
    };
    let in_args = match t.word()? {
        "push" => false,
        "args" => true,
        other => return t.error(format!("'{other}' is no place")),
    };
    Ok(FactLocation {
        arg,
        fact,
        in_args,
        offset: t.u32()?,
    })
}

fn global(t: &mut Tokens<'_>) -> Result<GlobalData> {
    let name = t.name()?;
    let linkage = match t.accept_word("static") {
        true => Linkage::Static,
        false => Linkage::External,
    };
    let space = space(t)?;
    let size = t.u32_after("size")?;
    let align = t.u32_after("align")?;
    let mut init = None;
    if t.accept_word("init") {
        let mut data = Initializer {
            bytes: t.text()?,
            relocations: Vec::new(),
        };
        while t.accept_word("reloc") {
            let at = t.u32()?;
            let target = Global::new(t.entity("@g")? as usize);
            data.relocations.push((at, target, t.u64()?));
        }
        init = Some(data);
    }
    Ok(GlobalData {
        name,
        space,
        size,
        align,
        init,
        linkage,
    })
}

fn size3(t: &mut Tokens<'_>) -> Result<Option<[u32; 3]>> {
    Ok(Some([t.u32()?, t.u32()?, t.u32()?]))
}

fn kernel(t: &mut Tokens<'_>, m: &mut Module) -> Result<()> {
    let mut k = KernelInfo {
        func: Func::new(t.entity("@f")? as usize),
        name: t.name()?,
        args: Vec::new(),
        required_size: None,
        uneven: false,
        any_memory: false,
        size_hint: None,
        subgroups: RequiredSubgroups::default(),
        attributes: String::new(),
    };
    let mut abi: Option<KernelAbi> = None;
    t.expect('{')?;
    while !t.accept('}') {
        match t.word()? {
            "arg" => k.args.push(arg(t)?),
            "required_size" => k.required_size = size3(t)?,
            "any_memory" => k.any_memory = true,
            "uneven" => k.uneven = true,
            "size_hint" => k.size_hint = size3(t)?,
            "subgroups" => k.subgroups = RequiredSubgroups::of([t.u32()?, t.u32()?, t.u32()?]),
            "attributes" => k.attributes = t.name()?,
            "abi" => {
                abi = Some(KernelAbi {
                    args: Vec::new(),
                    args_size: t.u32_after("args_size")?,
                    local_fixed: t.u32_after("local_fixed")?,
                    variables: t.accept_word("variables"),
                    scratch: match t.accept_word("scratch") {
                        true => t.u32()?,
                        false => 0,
                    },
                    ended_loops: t.accept_word("ended_loops"),
                    ..KernelAbi::default()
                });
            }
            "location" => {
                let place = location(t)?;
                match &mut abi {
                    Some(abi) => abi.args.push(place),
                    None => return t.error("a location before 'abi'"),
                }
            }
            "fact" => {
                let fact = fact(t)?;
                match &mut abi {
                    Some(abi) => abi.facts.push(fact),
                    None => return t.error("a fact before 'abi'"),
                }
            }
            "normalized" => {
                let pair = (t.u32()?, t.u32()?);
                match &mut abi {
                    Some(abi) => abi.normalized.push(pair),
                    None => return t.error("a sampler before 'abi'"),
                }
            }
            word @ ("set" | "object") => {
                let Some(abi) = &mut abi else {
                    return t.error("a descriptor before 'abi'");
                };
                if word == "set" {
                    abi.set = t.u32()?;
                } else {
                    abi.objects.push(object(t)?);
                }
            }
            other => return t.error(format!("'{other}' is nothing of a kernel")),
        }
    }
    m.kernels.push(k);
    m.abi.extend(abi);
    Ok(())
}

fn arg(t: &mut Tokens<'_>) -> Result<KernelArg> {
    let name = t.name()?;
    let type_name = t.name()?;
    let kind = match t.word()? {
        word @ ("pod" | "pod_ref") => ArgKind::Pod {
            size: t.u32_after("size")?,
            align: t.u32_after("align")?,
            by_ref: word == "pod_ref",
        },
        "buffer" => ArgKind::Buffer {
            space: space(t)?,
            align: t.u32_after("align")?,
        },
        "local" => ArgKind::Local {
            elem_size: t.u32_after("size")?,
            align: t.u32_after("align")?,
        },
        word @ ("image_write" | "image_read") => ArgKind::Image {
            shape: shape(t)?,
            write: word == "image_write",
        },
        "sampler" => ArgKind::Sampler,
        other => return t.error(format!("'{other}' is no kind of argument")),
    };
    Ok(KernelArg {
        name,
        type_name,
        kind,
        address_qualifier: t.u32_after("address")?,
        access_qualifier: t.u32_after("access")?,
        type_qualifier: t.u32_after("qualifier")?,
        restrict: t.accept_word("restrict"),
        uses: PointerUse {
            read: t.accept_word("read"),
            written: t.accept_word("written"),
            escapes: t.accept_word("escapes"),
        },
    })
}

fn location(t: &mut Tokens<'_>) -> Result<ArgLocation> {
    let word = t.word()?;
    let first = t.u32()?;
    Ok(match word {
        "push" => ArgLocation::Push {
            offset: first,
            size: t.u32()?,
        },
        "args" => ArgLocation::Args {
            offset: first,
            size: t.u32()?,
        },
        "pointer_push" => ArgLocation::PointerPush { offset: first },
        "pointer_args" => ArgLocation::PointerArgs { offset: first },
        "local_push" => ArgLocation::LocalPush {
            offset: first,
            align: t.u32()?,
        },
        "local_args" => ArgLocation::LocalArgs {
            offset: first,
            align: t.u32()?,
        },
        "image_write" | "image_read" => ArgLocation::Image {
            binding: first,
            shape: shape(t)?,
            write: word == "image_write",
        },
        "sampler" => ArgLocation::Sampler { binding: first },
        "storage" | "uniform" => ArgLocation::Buffer {
            slot: slot(t, first)?,
            uniform: word == "uniform",
        },
        "pod_storage" | "pod_uniform" => ArgLocation::PodSlot {
            slot: slot(t, first)?,
            offset: t.u32()?,
            size: t.u32()?,
            uniform: word == "pod_uniform",
        },
        "local_array" => ArgLocation::LocalArray {
            spec_id: first,
            elem_size: t.u32()?,
        },
        other => return t.error(format!("'{other}' is no kind of location")),
    })
}

fn slot(t: &mut Tokens<'_>, set: u32) -> Result<Slot> {
    Ok(Slot {
        set,
        binding: t.u32()?,
    })
}

fn object(t: &mut Tokens<'_>) -> Result<MemoryObject> {
    Ok(match t.word()? {
        "printf" => MemoryObject::Printf,
        "storage" => {
            let set = t.u32()?;
            MemoryObject::Storage { slot: slot(t, set)? }
        }
        "uniform" => {
            let set = t.u32()?;
            MemoryObject::Uniform {
                slot: slot(t, set)?,
                bytes: t.u32()?,
            }
        }
        "local_array" => MemoryObject::LocalArray {
            spec_id: t.u32()?,
            elem_size: t.u32()?,
        },
        "local" => MemoryObject::Local(Global::new(t.entity("@g")? as usize)),
        "constants" => MemoryObject::Constants,
        "constant" => MemoryObject::Constant(Global::new(t.entity("@g")? as usize)),
        "ended_loops" => {
            let set = t.u32()?;
            MemoryObject::EndedLoops { slot: slot(t, set)? }
        }
        other => return t.error(format!("'{other}' is no memory")),
    })
}

fn system(t: &mut Tokens<'_>, m: &mut Module) -> Result<()> {
    let s = &mut m.system;
    s.size = t.u32_after("size")?;
    while t.more_on_line() {
        let slot = match t.word()? {
            "global_offset" => &mut s.global_offset,
            "region_offset" => &mut s.region_offset,
            "region_group_offset" => &mut s.region_group_offset,
            "num_workgroups" => &mut s.num_workgroups,
            "global_size" => &mut s.global_size,
            "enqueued_local_size" => &mut s.enqueued_local_size,
            "constant_data" => &mut s.constant_data,
            "printf_buffer" => &mut s.printf_buffer,
            "scratch" => &mut s.scratch,
            "ended_loops" => &mut s.ended_loops,
            "work_dim" => {
                s.work_dim = true;
                continue;
            }
            "wide" => {
                s.wide = true;
                continue;
            }
            other => return t.error(format!("'{other}' is no system value")),
        };
        *slot = Some(t.u32()?);
    }
    Ok(())
}
