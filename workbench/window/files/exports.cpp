// workbench/window/files/exports.cpp: the tables, timelines and reports that are written as files.
#include "workbench/window/files/exports.h"

#include "profiling/export/export.h"
#include "workbench/panels/panels.h"
#include "workbench/window/frame.h"

namespace warpscope {
namespace {

bool always(const Workspace&) { return true; }
bool is_a_file(const Workspace& workspace) {
  return find_panel("launch")->belongs(workspace.view());
}

constexpr Export kExports[] = {
    {"metrics", "metrics as CSV, one row per metric …", always,
     [](Workspace& w, FrameState& s) { export_to(s, "warpscope.csv", tidy_csv(w.session())); }},
    {"measurements", "metrics as CSV, one row per measurement …", always,
     [](Workspace& w, FrameState& s) {
       export_to(s, "warpscope-wide.csv", wide_csv(w.session()));
     }},
    {"timelines", "timelines for Perfetto …", always,
     [](Workspace& w, FrameState& s) {
       export_to(s, "warpscope-trace.json", perfetto_json(w.session()));
     }},
    {"accesses", "accesses by instruction as CSV …", always,
     [](Workspace& w, FrameState&) {
       w.selection.wish = {ExportWish::Kind::accesses, "", ""};
     }},
    {"markdown", "report in Markdown …", always,
     [](Workspace& w, FrameState& s) {
       export_to(s, "warpscope.md", markdown_report(report_of(w.session())));
     }},
    {"page", "report as one HTML page …", always,
     [](Workspace& w, FrameState& s) {
       export_to(s, "warpscope.html", html_report(report_of(w.session())));
     }},
    {"folder", "the file as a scene's folder …", is_a_file,
     [](Workspace& w, FrameState&) {
       w.selection.wish = {ExportWish::Kind::folder, "launch", ""};
       w.selection.wanted_panel = "launch";
     }},
};

}  // namespace

std::span<const Export> all_exports() { return kExports; }

}  // namespace warpscope
