//! What the driver says of a compiled pipeline: registers, spills, instructions and the like
//! (VK_KHR_pipeline_executable_properties). Used with `CALDERA_DEBUG=pipeline-statistics` and `CALDERA_PROFILE` only.

use ash::vk;

use super::{Call, VkError};

/// The functions of the extension.
pub(super) struct Statistics {
    functions: ash::khr::pipeline_executable_properties::Device,
}

/// Returns the text of a statistic's value.
fn text(statistic: &vk::PipelineExecutableStatisticKHR<'_>) -> String {
    use vk::PipelineExecutableStatisticFormatKHR as Format;
    let value = statistic.value;
    match statistic.format {
        Format::BOOL32 => {
            // SAFETY: the format says which field the driver has written.
            let value = unsafe { value.b32 };
            (value != 0).to_string()
        }
        // SAFETY: as above.
        Format::INT64 => unsafe { value.i64 }.to_string(),
        // SAFETY: as above.
        Format::UINT64 => unsafe { value.u64 }.to_string(),
        // SAFETY: as above.
        Format::FLOAT64 => unsafe { value.f64 }.to_string(),
        _ => String::from("in an unknown format"),
    }
}

impl Statistics {
    /// Loads the functions. The extension and its feature must be enabled.
    pub(super) fn new(instance: &ash::Instance, device: &ash::Device) -> Statistics {
        Statistics {
            functions: ash::khr::pipeline_executable_properties::Device::new(instance, device),
        }
    }

    /// Returns the names and the values of the statistics of a pipeline that was made with
    /// [`vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR`].
    pub(super) fn of(&self, pipeline: vk::Pipeline) -> Result<Vec<(String, String)>, VkError> {
        let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
        // SAFETY: the pipeline is alive, and the feature is enabled.
        let executables = unsafe { self.functions.get_pipeline_executable_properties(&info) }
            .call("vkGetPipelineExecutablePropertiesKHR")?;
        let mut all = Vec::new();
        for index in 0..executables.len() as u32 {
            let info = vk::PipelineExecutableInfoKHR::default()
                .pipeline(pipeline)
                .executable_index(index);
            // SAFETY: as above; the pipeline was made with the flag, and the index is below the number of executables.
            let statistics = unsafe { self.functions.get_pipeline_executable_statistics(&info) }
                .call("vkGetPipelineExecutableStatisticsKHR")?;
            all.extend(statistics.iter().map(|s| {
                let name = s.name_as_c_str().unwrap_or_default();
                (name.to_string_lossy().into_owned(), text(s))
            }));
        }
        Ok(all)
    }
}
