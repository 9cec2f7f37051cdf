//! clLinkProgram (CL 5.6.3).

use std::sync::Arc;

use caldera_compiler::options::OptionUse;

use super::build::{InProgress, Outcome, load, parse_options, run, widen_objects};
use super::toolchain::{self, Object};
use super::{DeviceBuild, Notify, Origin, Output, Program};
use crate::context::Context;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};

impl Program {
    /// Links programs (CL 5.6.3, clLinkProgram), for all of the context's devices if `devices` is empty.
    /// Returns a program, which holds the build log, as soon as the arguments are valid; the second value says
    /// whether linking succeeded.
    pub fn link(
        context: &Arc<Context>,
        devices: &[Arc<Device>],
        options: &str,
        inputs: &[Arc<Program>],
        notify: Option<Notify>,
    ) -> Result<(Arc<Program>, Result<()>)> {
        // CL 5.6.3: INVALID_DEVICE if devices are not in the list of devices associated with context
        if devices.iter().any(|d| !context.has_device(d)) {
            return Err(Error::new(ClCode::InvalidDevice, "the context has no such device").at("5.6.3"));
        }
        // CL 5.6.3: INVALID_LINKER_OPTIONS if the linker options are invalid
        let parsed = parse_options(options, OptionUse::Link)?;
        if inputs.iter().any(|p| !Arc::ptr_eq(p.context(), context)) {
            return Err(Error::new(ClCode::InvalidContext, "programs of another context").at("5.6.3"));
        }
        let asked = if devices.is_empty() {
            context.devices()
        } else {
            devices
        };
        let mut linked: Vec<(Arc<Device>, Vec<Arc<Object>>)> = Vec::new();
        for device in asked {
            let parts: Vec<Option<Vec<Arc<Object>>>> = inputs.iter().map(|p| p.objects_for(device)).collect();
            if parts.iter().all(Option::is_none) {
                continue;
            }
            // CL 5.6.3: INVALID_OPERATION unless for each device all of the programs or none have an object or library
            let parts: Option<Vec<_>> = parts.into_iter().collect();
            let parts = parts.ok_or_else(|| {
                Error::new(
                    ClCode::InvalidOperation,
                    "some programs are not compiled for the device",
                )
                .at("5.6.3")
            })?;
            linked.push((Arc::clone(device), parts.into_iter().flatten().collect()));
        }
        if linked.is_empty() {
            return Err(Error::new(ClCode::InvalidOperation, "no program is compiled").at("5.6.3"));
        }
        let devices: Vec<Arc<Device>> = linked.iter().map(|(d, _)| Arc::clone(d)).collect();
        let builds = vec![DeviceBuild::default(); devices.len()];
        let program = Program::new(context, devices.clone(), Origin::Link, builds);
        let progress = InProgress::start(&program, &devices, options)?;
        let context = Arc::clone(context);
        let result = run(&program, notify, ClCode::LinkProgramFailure, "5.6.3", move || {
            let outcomes = linked
                .into_iter()
                .map(|(device, objects)| -> Outcome {
                    let target = context.target(&device);
                    if parsed.create_library {
                        return Ok((Output::Library(objects.into()), String::new()));
                    }
                    let compiled = toolchain::link(&objects, &parsed, &target)?;
                    let arg_info = objects.iter().any(|o| o.arg_info);
                    let widen = widen_objects(&target, &objects, &parsed);
                    let recipe = compiled.recipe.clone();
                    let output = load(&device, &compiled.words, recipe, Some(arg_info), Some(widen))?;
                    Ok((output, compiled.log.clone()))
                })
                .collect();
            progress.finish(outcomes)
        });
        Ok((program, result))
    }

    fn objects_for(&self, device: &Arc<Device>) -> Option<Vec<Arc<Object>>> {
        let index = self.index(device).ok()?;
        self.wait_for_builds();
        self.builds.lock()[index].objects()
    }
}
