// profiling/export/report/report.cpp: what a session comes to, collected for a report.
#include "profiling/export/report/report.h"

#include <algorithm>

#include "profiling/export/report/figures/figures.h"
#include "profiling/export/report/summary.h"
#include "profiling/points/point.h"

namespace warpscope {
namespace {

// The latest point that a device measured. Null: none.
const Measurement* latest_on(const std::vector<const Measurement*>& points,
                             const DeviceName& device) {
  const Measurement* latest = nullptr;
  for (const Measurement* m : points) {
    if (!on_a_device(*m) || device_of(m->conditions) != device) continue;
    if (latest == nullptr || m->conditions.date >= latest->conditions.date) latest = m;
  }
  return latest;
}

std::string provenance(const Session& session) {
  const std::vector<const Measurement*> points = session.all_points();
  if (points.empty())
    return session.traces().empty()
               ? "This session has no measurements."
               : "This session has no measurements: its kernels were emulated.";
  if (session.devices().empty())
    return "Nothing in this session was measured on a device: outputs were only verified, so there "
           "are no times.";
  std::string text;
  for (const DeviceName& device : session.devices()) {
    const Measurement* latest = latest_on(points, device);
    if (latest == nullptr) continue;
    const Conditions& c = latest->conditions;
    text += "Measured on " + to_text(device) + ", driver " + c.driver + ", toolkit " + c.toolkit +
            ", with Warpscope " + c.build + ", last on " + c.date + ". ";
  }
  if (session.devices().size() > 1)
    text +=
        "The session contains several devices. Each table shows one of them, and figures of "
        "different devices are never compared. ";
  return text +
         "Times are medians of CUDA-event samples; cold flushes L2 before every sample, warm "
         "does not. A variant whose output was wrong has no time.";
}

// That a session has nothing of a GPU; empty: something was measured on one.
std::string notice_of(const Session& session) {
  if (!session.devices().empty()) return "";
  if (!session.traces().empty())
    return "Not measured: this report has only what the emulator counted on a CPU. No GPU took "
           "part, so there are no times, and figures are modelled.";
  return session.all_points().empty()
             ? ""
             : "Not measured: outputs were only verified, and no GPU took part, so there are no "
               "times.";
}

// "csrmm, led on NVIDIA H200": what a reader would call it.
std::string title_of(const Session& session) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  };
  for (const Measurement* m : session.all_points()) add(m->scene);
  for (const Trace* trace : session.traces())
    add(trace->scene.empty() ? trace->entry : trace->scene);
  if (names.empty()) return "";
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  std::string devices;
  for (const DeviceName& device : session.devices())
    devices += (devices.empty() ? "" : " and ") + to_text(device);
  return text + (devices.empty() ? ", without a GPU" : " on " + devices);
}

}  // namespace

std::string no_figure(const ReportFigure& figure) {
  return "There is no figure “" + figure.title + "”: " + figure.missing + ".";
}

Report report_of(const Session& session) {
  ReportMaterial material(session);
  Report report;
  report.title = title_of(session);
  report.notice = notice_of(session);
  report.provenance = provenance(session);
  report.conditions = conditions_table(session);
  report.tables = report_tables(session);
  const auto add = [&](ReportPart part, std::vector<ReportTable> more) {
    for (ReportTable& table : more) {
      table.part = part;
      report.tables.push_back(std::move(table));
    }
  };
  add(ReportPart::winners, winner_tables(material));
  add(ReportPart::lines, line_tables(material));
  add(ReportPart::emulated, emulated_tables(session));
  std::stable_sort(report.tables.begin(), report.tables.end(),
                   [](const ReportTable& a, const ReportTable& b) { return a.part < b.part; });
  report.conclusions = report_conclusions(material, report.tables);
  report.figures = report_figures(material);
  return report;
}

}  // namespace warpscope
