//! Writes the top of the page: a card for each device, and the table of suites × devices.

use super::{Latest, anchor, bar, class, escape, not_passed};
use crate::cts::results::Status;
use std::fmt::Write;

/// Writes a card for each device, with its description and its total counts.
pub(super) fn cards(page: &mut String, devices: &[Latest<'_>]) {
    *page += "<div class=\"cards\">\n";
    for latest in devices {
        let (info, total) = (&latest.newest.info, latest.total());
        let bad = not_passed(&total);
        let _ = writeln!(
            page,
            "<section class=\"card\"><a href=\"#{}\">{}</a><b>{}<small> / {}</small></b>{}\
             <p>{}</p><p>{} · driver {}</p><p>{} · CTS {} · {}</p></section>",
            anchor(&latest.device.slug, ""),
            escape(&latest.device.slug),
            total.n(Status::Pass),
            total.applicable(),
            bar(&total),
            if bad.is_empty() {
                "everything applicable passes"
            } else {
                &bad
            },
            escape(&info.device),
            escape(&info.driver),
            escape(&info.mode),
            escape(info.cts.get(..8).unwrap_or(&info.cts)),
            escape(&info.started)
        );
    }
    *page += "</div>\n";
}

/// Writes the passed and applicable sub-tests of each suite on each device. Each cell links to its sub-tests.
pub(super) fn matrix(page: &mut String, devices: &[Latest<'_>], order: &[String]) {
    *page += "<h2>Suites</h2>\n<div class=\"wide\"><table class=\"matrix\"><thead><tr><th>suite</th>";
    for latest in devices {
        let slug = &latest.device.slug;
        let _ = write!(
            page,
            "<th><a href=\"#{}\">{}</a></th>",
            anchor(slug, ""),
            escape(slug)
        );
    }
    *page += "</tr></thead>\n<tbody>\n";
    for suite in order {
        let _ = write!(page, "<tr><th>{}</th>", escape(suite));
        for latest in devices {
            let Some(counts) = latest.counts(suite) else {
                *page += "<td class=\"none\">–</td>";
                continue;
            };
            let bad = not_passed(&counts);
            let _ = write!(
                page,
                "<td class=\"{}\"><a href=\"#{}\">{}/{}</a>",
                class(&counts),
                anchor(&latest.device.slug, suite),
                counts.n(Status::Pass),
                counts.applicable()
            );
            if !bad.is_empty() {
                let _ = write!(page, "<small>{bad}</small>");
            }
            *page += "</td>";
        }
        *page += "</tr>\n";
    }
    *page += "</tbody><tfoot><tr><th>all</th>";
    for latest in devices {
        let total = latest.total();
        let _ = write!(
            page,
            "<td class=\"{}\">{}/{}</td>",
            class(&total),
            total.n(Status::Pass),
            total.applicable()
        );
    }
    *page += "</tr></tfoot></table></div>\n\
              <p class=\"fine\">Sub-tests passed / applicable: what a suite itself skips on a device does not count. \
              Of each sub-test the latest result with the device's present driver and CTS.</p>\n";
}
