//! Pipes, as calls of the functions of OpenCL C. SPIR-V has the size and the alignment of packets in place of their type.

use super::func::FuncLowering;
use crate::ir::{AddressSpace, CmpOp, Scalar, Ty, Value};
use crate::spirv_in::Error;
use crate::spirv_in::library::CType;
use crate::spirv_in::types::Type;
use crate::spirv_in::words::Inst;
use rspirv::spirv::{Op, Scope};

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    /// Translates an instruction for pipes.
    pub(super) fn pipe(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let number = |ty| CType::number(ty, false).ok_or_else(|| inst.invalid("OpenCL C has no such number"));
        let (uint, id) = (number(Ty::I32)?, CType::reserve_id());
        if inst.op == Op::IsValidReserveId {
            let args = vec![self.operand(inst, 0)?];
            let valid = self.call_library("return is_valid_reserve_id(a);", Some(&uint), &[id], args);
            let valid = valid.ok_or_else(|| inst.invalid("the test has no result"))?;
            let zero = self.b.zero(Ty::I32);
            let valid = self.b.compare(CmpOp::INe, valid, zero);
            return self.define(inst, valid);
        }
        // The instructions of groups begin with a scope.
        let (first, group) = match inst.op {
            Op::GroupReserveReadPipePackets
            | Op::GroupReserveWritePipePackets
            | Op::GroupCommitReadPipe
            | Op::GroupCommitWritePipe => match self.scope(inst, 0)? {
                Scope::Subgroup if self.cx.has_subgroups => (1, "sub_group_"),
                Scope::Workgroup => (1, "work_group_"),
                scope => return Err(inst.unsupported(format!("the scope {scope:?} is not implemented here"))),
            },
            _ => (0, ""),
        };
        let (name, ret, more): (_, _, &[CType]) = match inst.op {
            Op::ReadPipe | Op::ReservedReadPipe => ("read_pipe", Some(&uint), &[]),
            Op::WritePipe | Op::ReservedWritePipe => ("write_pipe", Some(&uint), &[]),
            Op::ReserveReadPipePackets | Op::GroupReserveReadPipePackets => {
                ("reserve_read_pipe", Some(&id), std::slice::from_ref(&uint))
            }
            Op::ReserveWritePipePackets | Op::GroupReserveWritePipePackets => {
                ("reserve_write_pipe", Some(&id), std::slice::from_ref(&uint))
            }
            Op::CommitReadPipe | Op::GroupCommitReadPipe => {
                ("commit_read_pipe", None, std::slice::from_ref(&id))
            }
            Op::CommitWritePipe | Op::GroupCommitWritePipe => {
                ("commit_write_pipe", None, std::slice::from_ref(&id))
            }
            Op::GetNumPipePackets => ("get_pipe_num_packets", Some(&uint), &[]),
            _ => ("get_pipe_max_packets", Some(&uint), &[]),
        };
        let reserved = matches!(inst.op, Op::ReservedReadPipe | Op::ReservedWritePipe);
        let transfers = reserved || matches!(inst.op, Op::ReadPipe | Op::WritePipe);
        let mut types = more.to_vec();
        if reserved {
            types.extend([id.clone(), uint.clone()]);
        }
        let mut values: Vec<Value> = vec![self.operand(inst, first)?];
        for n in 0..types.len() {
            values.push(self.operand(inst, first + 1 + n)?);
        }
        let mut at = first + 1 + types.len();
        if transfers {
            let pointer = self.operand(inst, at)?;
            let Scalar::Ptr(space) = self.b.func.ty(pointer).scalar else {
                return Err(inst.invalid("the operand is no pointer"));
            };
            let packet = self.packet(inst, at + 1)?;
            let ty = packet_pointer(&packet, space);
            types.push(ty.ok_or_else(|| inst.invalid("a packet is not in constant memory"))?);
            values.push(pointer);
            at += 1;
        }
        let packet = self.packet(inst, at)?;
        types.insert(0, self.pipe_type(inst, inst.arg(first)?, &packet)?);
        let letters = ["a", "b", "c", "d"][..types.len()].join(", ");
        let body = match ret {
            Some(_) => format!("return {group}{name}({letters});"),
            None => format!("{group}{name}({letters});"),
        };
        let result = self.call_library(&body, ret, &types, values);
        self.define_from(inst, result)
    }

    /// Returns a structure of the size and the alignment that operand `n` and the next one state.
    fn packet(&mut self, inst: &Inst<'_>, n: usize) -> Result<String, Error> {
        let (size, align) = (self.integer(inst, n)?, self.integer(inst, n + 1)?);
        let word = match align {
            1 => "uchar",
            2 => "ushort",
            4 => "uint",
            8 => "ulong",
            16 => "ulong2",
            32 => "ulong4",
            64 => "ulong8",
            128 => "ulong16",
            _ => return Err(inst.invalid("the alignment of the packet is no power of two up to 128")),
        };
        if size == 0 || !size.is_multiple_of(align) || size > 1 << 16 {
            return Err(inst
                .invalid("the size of the packet is 0, more than 64 KiB, or no multiple of its alignment"));
        }
        let name = format!("packet_{size}_{align}");
        let members = format!("{word} words[{}];", size / align);
        self.cx.library.structure(&name, &members);
        Ok(format!("struct {name}"))
    }

    /// Returns the type of the pipe that an id stands for, which declares the type of its packets.
    fn pipe_type(&self, inst: &Inst<'_>, id: u32, packet: &str) -> Result<CType, Error> {
        let access = match self.cx.source.types.get(self.type_of(inst, id)?) {
            Some(Type::Pipe { write: true }) => "__write_only",
            Some(Type::Pipe { write: false }) => "__read_only",
            _ => return Err(inst.invalid(format!("%{id} is no pipe"))),
        };
        Ok(CType {
            text: format!("{access} pipe {packet}"),
            ir: Ty::ptr(AddressSpace::Global),
        })
    }
}

/// Returns the type of a pointer to a packet.
fn packet_pointer(packet: &str, space: AddressSpace) -> Option<CType> {
    match space {
        // A device with pipes has generic pointers, and the functions are in OpenCL C 3.0.
        AddressSpace::Generic => Some(CType {
            text: format!("__generic {packet} *"),
            ir: Ty::ptr(space),
        }),
        AddressSpace::Constant => None,
        _ => CType::pointer(packet, space),
    }
}
