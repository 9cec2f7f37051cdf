//! The log sink.
//!
//! The library logs through the crate `log`. [`install`] installs a sink that honours `CALDERA_LOG` and
//! `CALDERA_LOG_FILE`; the icd crate calls it at the first call of the API. If no variable asks for a log
//! ([`crate::config`]), no sink is installed and nothing is printed.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::Once;
use std::time::Instant;

use log::{LevelFilter, Log, Metadata, Record};
use parking_lot::Mutex;

use crate::config::{Config, config};

struct Sink {
    config: &'static Config,
    file: Option<Mutex<File>>,
    start: Instant,
}

/// Returns the log group of a target: `caldera_runtime::vk::device` → `vk`; other crates keep their names.
fn group(target: &str) -> &str {
    let inner = target
        .strip_prefix("caldera_runtime::")
        .or_else(|| target.strip_prefix("caldera::"))
        .unwrap_or(target);
    inner.split("::").next().unwrap_or(inner)
}

impl Log for Sink {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= self.config.level(group(metadata.target()))
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let line = format!(
            "caldera {:10.6} {:5} {}: {}\n",
            self.start.elapsed().as_secs_f64(),
            record.level(),
            group(record.target()),
            record.args()
        );
        // A log that cannot be written must not disturb the application.
        let _ = match &self.file {
            Some(file) => file.lock().write_all(line.as_bytes()),
            None => std::io::stderr().write_all(line.as_bytes()),
        };
    }

    fn flush(&self) {}
}

/// Installs the sink if the environment asks for one. An application that has its own `log` sink keeps it.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let config = config();
        let most = config
            .log_groups
            .iter()
            .map(|(_, l)| *l)
            .fold(config.log_level, Ord::max);
        if most == LevelFilter::Off {
            return;
        }
        let opened = config
            .log_file
            .as_ref()
            .map(|path| OpenOptions::new().create(true).append(true).open(path));
        let (file, unopened) = match opened {
            None => (None, None),
            Some(Ok(file)) => (Some(file), None),
            Some(Err(e)) => (None, Some(e)),
        };
        let sink = Sink {
            config,
            file: file.map(Mutex::new),
            start: Instant::now(),
        };
        // The sink is never dropped, like every logger.
        if log::set_logger(Box::leak(Box::new(sink))).is_ok() {
            log::set_max_level(most);
        }
        for complaint in &config.complaints {
            log::warn!("{complaint}");
        }
        if let Some(e) = unopened {
            log::warn!("CALDERA_LOG_FILE cannot be opened: {e}");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::group;

    #[test]
    fn groups_are_the_first_module() {
        assert_eq!(group("caldera_runtime::vk::device"), "vk");
        assert_eq!(group("caldera::api::event"), "api");
        assert_eq!(group("another_crate::module"), "another_crate");
    }
}
