//! What a device offers, feature by feature, and why not more: for people (`cargo harness doctor`).

use super::Device;

impl Device {
    /// One line per optional feature: offered, or the Vulkan feature that is missing.
    pub fn feature_report(&self) -> String {
        let f = &self.target.features;
        let here = |name: &str| self.target.extensions.iter().any(|e| e == name);
        let mut report = String::new();
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
        line(
            "float subnormals (CL_FP_DENORM)",
            self.info.single_fp_config.denorm,
            &[(f.denorm_preserve[1], "shaderDenormPreserveFloat32")],
        );
        line("images and samplers", self.info.image_support, &[]);
        line("printf", true, &[]);
        line("out-of-order execution", false, &[]);
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
}
