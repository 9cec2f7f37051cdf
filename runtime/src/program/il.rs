//! Programs from SPIR-V (cl_khr_il_program, OpenCL 2.1 5.8.1) and their specialization constants (OpenCL 2.2 5.8.3).

use std::sync::Arc;

use caldera_compiler::options::Options;
use caldera_compiler::spirv_in::{SpecConstant, Specialization};
use caldera_compiler::target::Target;

use super::build::{load, wide_target};
use super::toolchain::{self, IlUnit};
use super::{DeviceBuild, Origin, Output, Program};
use crate::context::Context;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::kernel::pipeline::Widen;
use crate::lock::{Mutex, Rank};

/// A SPIR-V module that a program was created with.
#[derive(Debug)]
pub(crate) struct Il {
    /// The bytes as the application gave them.
    pub(super) bytes: Arc<[u8]>,
    /// The specialization constants of the module.
    constants: Vec<SpecConstant>,
    /// The values that the application has set.
    values: Mutex<Specialization>,
}

impl Il {
    /// Returns the values that the next build takes.
    fn values(&self) -> Specialization {
        self.values.lock().clone()
    }
}

impl Program {
    /// Creates a program from a SPIR-V module (cl_khr_il_program, clCreateProgramWithILKHR).
    pub fn with_il(context: &Arc<Context>, bytes: &[u8]) -> Result<Arc<Program>> {
        // cl_khr_il_program: INVALID_VALUE if il does not point to well-formed intermediate language
        let constants = toolchain::inspect_il(bytes)
            .map_err(|why| Error::new(ClCode::InvalidValue, why).at("cl_khr_il_program"))?;
        let il = Il {
            bytes: bytes.into(),
            constants,
            values: Mutex::new(Rank::Specialization, Specialization::new()),
        };
        let devices = context.devices().to_vec();
        let builds = vec![DeviceBuild::default(); devices.len()];
        Ok(Program::new(context, devices, Origin::Il(Arc::new(il)), builds))
    }

    /// Returns CL_PROGRAM_IL; empty for a program that is not from a SPIR-V module.
    pub fn il(&self) -> &[u8] {
        match &self.origin {
            Origin::Il(il) => &il.bytes,
            Origin::Source(_) | Origin::Binary | Origin::Link => &[],
        }
    }

    /// Sets the value that the next build gives to a specialization constant (OpenCL 2.2 5.8.3,
    /// clSetProgramSpecializationConstant).
    pub fn set_specialization_constant(&self, id: u32, value: &[u8]) -> Result<()> {
        // CL 2.2 5.8.3: INVALID_PROGRAM if program was not created with clCreateProgramWithIL
        let Origin::Il(il) = &self.origin else {
            return Err(Error::new(ClCode::InvalidProgram, "the program is not from IL").at("2.2 5.8.3"));
        };
        // CL 2.2 5.8.3: INVALID_SPEC_ID if spec_id is not valid
        let known = il.constants.iter().find(|c| c.id == id);
        let Some(known) = known else {
            return Err(Error::new(ClCode::InvalidSpecId, format!("no constant {id}")).at("2.2 5.8.3"));
        };
        // CL 2.2 5.8.3: INVALID_VALUE if spec_size does not match the size of the constant
        if value.len() != known.size {
            let why = format!("constant {id} has {} bytes, not {}", known.size, value.len());
            return Err(Error::new(ClCode::InvalidValue, why).at("2.2 5.8.3"));
        }
        il.values.lock().insert(id, value.to_vec());
        Ok(())
    }
}

/// The input of a build or compilation of a SPIR-V module. The values are those at its start.
#[derive(Clone, Debug)]
pub(super) struct IlBuild {
    bytes: Arc<[u8]>,
    values: Specialization,
    text: String,
    options: Options,
}

impl IlBuild {
    pub(super) fn new(il: &Il, text: &str, options: &Options) -> IlBuild {
        IlBuild {
            bytes: Arc::clone(&il.bytes),
            values: il.values(),
            text: text.to_owned(),
            options: options.clone(),
        }
    }

    fn unit(&self) -> IlUnit<'_> {
        IlUnit {
            module: &self.bytes,
            options_text: &self.text,
            options: &self.options,
            specialization: &self.values,
        }
    }

    /// Builds an executable for a device.
    pub(super) fn build(&self, device: &Arc<Device>, target: &Arc<Target>) -> super::build::Outcome {
        let compiled = toolchain::build_il(&self.unit(), target)?;
        let (again, on) = (self.clone(), Arc::clone(target));
        let widen: Widen = Box::new(move || {
            let linked = toolchain::build_il(&again.unit(), &wide_target(&on))?;
            Ok(Arc::clone(&linked.words))
        });
        // The names and types of arguments are those that the module has.
        let output = load(
            device,
            &compiled.words,
            compiled.recipe.clone(),
            Some(true),
            Some(widen),
        )?;
        Ok((output, compiled.log.clone()))
    }

    /// Compiles an object for a device.
    pub(super) fn compile(&self, target: &Arc<Target>) -> super::build::Outcome {
        let object = toolchain::compile_il(&self.unit(), target)?;
        let log = object.log.clone();
        Ok((Output::Object(object), log))
    }
}
