//! The software bill of materials: the crates in the programs, in the form CycloneDX 1.5.

use super::crates::Crate;
use serde_json::{Value, json};

/// Returns the document. It has neither a time nor a serial number, so it is the same for the same crates.
pub(super) fn document(version: &str, crates: &[Crate]) -> Value {
    let component = |c: &Crate| {
        let mut value = json!({
            "type": "library",
            "name": c.name,
            "version": c.version,
            "licenses": [{ "expression": c.licence.replace('/', " OR ") }],
        });
        // The crates of this repository are in no registry.
        if let Some(checksum) = &c.checksum {
            value["purl"] = json!(format!("pkg:cargo/{}@{}", c.name, c.version.replace('+', "%2B")));
            value["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
        }
        value
    };
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": { "type": "application", "name": "caldera", "version": version },
        },
        "components": crates.iter().map(component).collect::<Vec<Value>>(),
    })
}
