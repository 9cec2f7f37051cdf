//! Turns the constant expressions of program-scope initializers into bytes and relocations (6.5.3, C99 6.6).

use super::{Result, Sema, fold};
use crate::hir::{
    ConstData, Expr, ExprKind, GlobalId, GlobalVar, Init, Linkage, PlaceKind, Space, Type, TypeId,
};
use crate::source::Span;

/// The size of the largest allowed constant object, in bytes.
pub(super) const MAX_CONSTANT: u64 = 256 << 20;

impl Sema<'_> {
    /// Returns the bytes of a constant object, of which `bytes` are known before the stores.
    pub(super) fn constant_data(
        &mut self,
        ty: TypeId,
        init: &Init,
        mut bytes: Vec<u8>,
        span: Span,
    ) -> Result<ConstData> {
        let size = self.program.types.size(ty).unwrap_or(0);
        if size > MAX_CONSTANT {
            return Err(self.error(span, "constant object is too large"));
        }
        bytes.resize(size as usize, 0);
        let mut data = ConstData {
            bytes,
            relocations: Vec::new(),
        };
        let mut failed = None;
        for (offset, e) in &init.stores {
            if let Err(r) = self.constant_store(*offset as usize, e, &mut data) {
                failed = Some(r);
            }
        }
        failed.map_or(Ok(data), Err)
    }

    fn constant_store(&mut self, offset: usize, e: &Expr, data: &mut ConstData) -> Result<()> {
        let not_constant = "initializer element is not a compile-time constant";
        match *self.ty(e.ty) {
            Type::Scalar(s) | Type::Vector(s, _) => {
                let Some(bits) = fold::eval(self, e) else {
                    return Err(self.error(e.span, not_constant));
                };
                let width = s.bytes() as usize;
                for (lane, bits) in bits.iter().enumerate() {
                    let at = offset + lane * width;
                    if let Some(to) = data.bytes.get_mut(at..at + width) {
                        to.copy_from_slice(&bits.to_le_bytes()[..width]);
                    }
                }
                Ok(())
            }
            Type::Pointer { .. } => {
                let Some((global, value)) = fold::address(self, e) else {
                    return Err(self.error(e.span, not_constant));
                };
                let at = offset as u32;
                data.relocations.retain(|r| r.0 != at);
                match global {
                    // Local memory has no address before a kernel runs.
                    Some(id) if self.program.globals[id].space == Space::Local => {
                        return Err(self.error(e.span, not_constant));
                    }
                    Some(id) => data.relocations.push((at, id, value as u64)),
                    None => {
                        if let Some(to) = data.bytes.get_mut(offset..offset + 8) {
                            to.copy_from_slice(&(value as u64).to_le_bytes());
                        }
                    }
                }
                Ok(())
            }
            Type::Record(_) => {
                // The initializer may be a copy of another constant object.
                let source = match &e.kind {
                    ExprKind::Load(place) => match place.kind {
                        PlaceKind::Global(id) if place.space == Space::Constant => {
                            self.program.globals[id].init.clone()
                        }
                        _ => None,
                    },
                    _ => None,
                };
                let Some(source) = source else {
                    return Err(self.error(e.span, not_constant));
                };
                if let Some(to) = data.bytes.get_mut(offset..offset + source.bytes.len()) {
                    to.copy_from_slice(&source.bytes);
                }
                for (at, id, value) in source.relocations {
                    data.relocations.push((at + offset as u32, id, value));
                }
                Ok(())
            }
            _ => Err(self.error(e.span, not_constant)),
        }
    }

    /// Adds an unnamed object in constant memory.
    pub(super) fn constant_object(&mut self, ty: TypeId, init: &Init, span: Span) -> Result<GlobalId> {
        let data = self.constant_data(ty, init, Vec::new(), span)?;
        let id = self.program.globals.push(GlobalVar {
            name: format!(".compoundliteral{}", self.program.globals.len()),
            ty,
            space: Space::Constant,
            align: self.program.types.align(ty),
            init: Some(data),
            linkage: Linkage::Static,
            span,
        });
        self.global_quals.push((true, false));
        Ok(id)
    }
}
