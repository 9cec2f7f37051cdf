//! A report of the features that a device offers, and of the reasons why others are off (`cargo harness
//! doctor`).

use std::sync::Arc;

use caldera_compiler::target::SubgroupLayout;

use super::Device;
use crate::vk::PhysicalType;

impl Device {
    /// Returns one line per optional feature: it is offered, or the Vulkan feature is named that is missing.
    /// The results of calibration and the sizes of memory follow.
    pub fn feature_report(self: &Arc<Self>) -> String {
        let f = &self.base.features;
        let here = |name: &str| self.base.extensions.iter().any(|e| e == name);
        let mut report = String::new();
        self.report_replaced(&mut report);
        let mut line = |what: &str, offered: bool, needs: &[(bool, &str)]| {
            let missing: Vec<&str> = needs
                .iter()
                .filter(|(has, _)| !has)
                .map(|(_, name)| *name)
                .collect();
            let text = match (offered, missing.as_slice()) {
                (true, _) => "offered".to_owned(),
                (false, []) => "off: not implemented yet".to_owned(),
                (false, names) => format!("off: the driver lacks {}", names.join(", ")),
            };
            report.push_str(&format!("{what:<34} {text}\n"));
        };
        let double = "cl_khr_fp64 (double)";
        line(double, here("cl_khr_fp64"), &[(f.float64, "shaderFloat64")]);
        let half = [
            (f.float16, "shaderFloat16"),
            (f.storage16, "storageBuffer16BitAccess"),
        ];
        line("cl_khr_fp16 (half arithmetic)", here("cl_khr_fp16"), &half);
        let atomics = [
            (f.buffer_int64_atomics, "shaderBufferInt64Atomics"),
            (f.shared_int64_atomics, "shaderSharedInt64Atomics"),
        ];
        line(
            "cl_khr_int64_*_atomics",
            here("cl_khr_int64_base_atomics"),
            &atomics,
        );
        let subgroups = [
            (f.subgroups, "sub-groups with arithmetic, or their size"),
            (
                self.physical.facts().physical_type != PhysicalType::Cpu,
                "sub-groups that get on independently",
            ),
        ];
        line("cl_khr_subgroups", here("cl_khr_subgroups"), &subgroups);
        line(
            "float subnormals (CL_FP_DENORM)",
            self.fp_configs()[1].denorm,
            &[(f.denorm_preserve[1], "shaderDenormPreserveFloat32")],
        );
        let images = [
            (
                self.physical.facts().features.images,
                "shaderStorageImageWriteWithoutFormat",
            ),
            (
                self.image_formats.missing().is_empty(),
                "a format that CL 5.3.2.1 requires",
            ),
        ];
        line("images and samplers", self.info.image_support, &images);
        if self.info.image_support && !self.image_formats.bgra_in_buffers() {
            let texels = [(false, "storage texel buffers of B8G8R8A8_UNORM")];
            line("images of CL_BGRA in buffers", false, &texels);
        }
        line("printf", true, &[]);
        line("out-of-order execution", true, &[]);
        self.report_measurements(&mut report);
        report.push_str(&format!(
            "{:<34} {} MiB in one buffer, {} MiB in all\n",
            "memory",
            self.info.max_mem_alloc_size >> 20,
            self.info.global_mem_size >> 20
        ));
        report.push_str(&format!(
            "{:<34} {} KiB local, {} work-items in a work-group\n",
            "work-groups",
            self.info.local_mem_size >> 10,
            self.info.max_work_group_size
        ));
        report
    }

    /// Adds the features that Caldera replaces where the device lacks them.
    fn report_replaced(&self, report: &mut String) {
        let f = &self.base.features;
        let facts = self.physical.facts();
        let (major, minor) = facts.version;
        report.push_str(&format!("{:<34} {major}.{minor}\n", "Vulkan"));
        for (what, has, instead) in [
            ("timelineSemaphore", facts.timeline_semaphores, "fences"),
            (
                "synchronization2",
                facts.synchronization2,
                "the functions of Vulkan 1.0",
            ),
            (
                "bufferDeviceAddress",
                facts.buffer_addresses,
                "the descriptor ABI",
            ),
            ("shaderInt8", f.int8, "32-bit arithmetic"),
            ("shaderInt16", f.int16, "32-bit arithmetic"),
            ("shaderInt64", f.int64, "pairs of words"),
            ("storageBuffer8BitAccess", f.storage8, "parts of words"),
            ("storageBuffer16BitAccess", f.storage16, "parts of words"),
            (
                "vulkanMemoryModel",
                f.vulkan_memory_model,
                "the memory model of GLSL",
            ),
        ] {
            let text = match has {
                true => "used".to_owned(),
                false => format!("missing: {instead} instead"),
            };
            report.push_str(&format!("{what:<34} {text}\n"));
        }
    }

    /// Appends the results of calibration.
    fn report_measurements(self: &Arc<Self>, report: &mut String) {
        let measured = self.calibrated().measured;
        let widths = |on: [bool; 3]| {
            let names: Vec<&str> = on
                .iter()
                .zip(["half", "float", "double"])
                .filter_map(|(on, name)| on.then_some(name))
                .collect();
            if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            }
        };
        report.push_str(&format!(
            "{:<34} {}\n{:<34} {}\n",
            "measured: fused multiply-add",
            widths(measured.fused_fma),
            "measured: subnormals kept",
            widths(measured.subnormals())
        ));
        for (what, found) in [
            ("in arithmetic", measured.subnormal_arithmetic),
            ("in loads and stores", measured.subnormal_loads),
            ("in conversions", measured.subnormal_conversions),
        ] {
            if found != measured.subnormals() {
                report.push_str(&format!(
                    "{:<34} {}\n",
                    format!("measured: {what}"),
                    widths(found)
                ));
            }
        }
        for (what, found) in [
            ("measured: quotients rounded", measured.divide),
            ("measured: square roots rounded", measured.sqrt),
            ("measured: conversions rounded", measured.conversions),
            ("measured: nothing contracted", measured.separate),
            ("measured: fma flushes subnormals", measured.flushing_fma),
        ] {
            report.push_str(&format!("{what:<34} {}\n", widths(found)));
        }
        let mul_hi = if measured.mul_hi { "right" } else { "wrong" };
        report.push_str(&format!("{:<34} {mul_hi}\n", "measured: mul_hi of 64 bits"));
        let layout = match self.target().subgroup_layout {
            SubgroupLayout::Full => "full, whatever the shape of the work-group",
            SubgroupLayout::Rows => "in rows; work-groups with sub-groups get one dimension",
            SubgroupLayout::Unknown => "unknown; work-groups get one dimension",
        };
        report.push_str(&format!("{:<34} {layout}\n", "sub-groups"));
        let e = measured.errors;
        report.push_str(&format!(
            "{:<34} x / y {:.2}, sqrt {:.2}, rsqrt {:.2}, exp2 {:.2}, log2 {:.2}, pow {:.0}\n",
            "measured: float, ulp", e.divide, e.sqrt, e.rsqrt, e.exp2, e.log2, e.pow
        ));
        report.push_str(&format!(
            "{:<34} sin {:.1e}, cos {:.1e}, log2 {:.1e} in [0.5, 2]\n",
            "measured: float, absolute", e.sin, e.cos, e.log2_near_one
        ));
    }
}
