// workbench/panels/engine_panel.cpp: device, versions, capabilities with remedies, memory, the log.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdio>

#include "workbench/client/process_memory.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/panels.h"

namespace warpscope {
namespace {

// Whose the figures of a recording are, beside the device that is described.
std::string recorded_on(const SessionView& view, const DeviceDescription& described) {
  const std::vector<DeviceName>& devices = view.session().devices();
  if (devices.size() < 2) return "recorded: this session's measurements come from this device";
  const std::string own = DeviceName{described.name, described.uuid}.id();
  std::string words = fmt::format(
      "recorded: one of the {} devices that this session's measurements come from", devices.size());
  if (own == view.device()) return words + ", and the one whose figures are shown";
  for (const DeviceName& device : devices) {
    if (device.id() == view.device())
      words += "; the figures that are shown are those of " + to_text(device);
  }
  return words;
}

void draw_device(const Style& style, const Hello& hello, const std::string& recorded) {
  if (!hello.device) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
    ImGui::TextUnformatted("– no device");
    ImGui::PopStyleColor();
    return;
  }
  const DeviceDescription& d = *hello.device;
  push_face(style.large);
  ImGui::TextUnformatted(d.name.c_str());
  ImGui::PopFont();
  if (!recorded.empty()) draw_paragraph(recorded);
  draw_paragraph(fmt::format("compute capability {}.{}, {} multiprocessors, {}, L2 {}",
                             d.compute_capability / 10, d.compute_capability % 10,
                             d.multiprocessors,
                             format_value(static_cast<double>(d.memory_bytes), "B"),
                             format_value(static_cast<double>(d.l2_bytes), "B")));
  draw_paragraph("driver " + hello.driver + ", toolkit " + hello.toolkit + ", build " +
                 hello.build);
}

// Megabytes, to one of a hundred: what a process has is not known better.
std::string mega(std::int64_t bytes) {
  const double megabytes = static_cast<double>(std::max<std::int64_t>(0, bytes)) / 1e6;
  return fmt::format("{:.{}f}", megabytes, megabytes < 10 ? 1 : 0);
}

// What the window has in memory and what for: each row says on hover what it is.
// Long: a table of what memory is for, each row with its sentence.
void draw_memory(const PanelContext& context, EnginePanel::Memory& memory) {
  const Style& style = context.style;
  const SessionView& view = context.view;
  constexpr double kPeriodS = 1;
  if (memory.at_s < 0 || ImGui::GetTime() >= memory.at_s + kPeriodS) {
    memory = {ImGui::GetTime(), resident_bytes(), view.engines.engine_memory(),
              view.engines.emulator_memory(), heap_bytes().value_or(HeapBytes{})};
  }
  const auto row = [&](const char* name, const std::string& words, const char* sentence) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
    ImGui::TextUnformatted(name);
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", sentence);
    ImGui::SameLine(style.unit(12));
    draw_paragraph(words);
  };
  const Session::Memory kept = view.session().memory();
  const Session::Limits& limits = view.opened.limits();
  const Session::LetGo& gone = view.opened.let_go();
  if (memory.window) {
    std::string words = mega(*memory.window) + " MB";
    if (memory.emulator) words += "; emulator " + mega(*memory.emulator) + " MB";
    if (memory.engine) words += "; engine " + mega(*memory.engine) + " MB";
    row("memory", words,
        "Resident memory of this window, and of the processes that it started on this machine.");
  }
  if (kept.opened.count > 0) {
    row("opened file", fmt::format("{} MB: {} entries", mega(kept.opened.bytes), kept.opened.count),
        "Points, traces and timelines of the session file that is shown: all of it is kept.");
  }
  if (!view.recorded()) {
    row("measured",
        fmt::format("{} of {} MB: {} points", mega(kept.points.bytes), mega(limits.point_bytes),
                    kept.points.count),
        "What was measured since the window was opened. Beyond the limit the window lets go of the "
        "points that came longest ago.");
  }
  row("traces",
      fmt::format("{} of {} MB: {} kept, {} let go", mega(kept.traces.bytes),
                  mega(limits.trace_bytes), kept.traces.count, gone.traces),
      "Emulated requests that diagrams show, of the configurations looked at last. One that was "
      "let "
      "go of is emulated again when its configuration is selected.");
  if (memory.window && memory.heap.used > 0) {
    const std::int64_t known =
        kept.opened.bytes + kept.points.bytes + kept.traces.bytes + kept.timelines.bytes;
    row("the rest",
        "lists " + mega(memory.heap.used - known) + ", freed " + mega(memory.heap.free) +
            ", program " + mega(*memory.window - memory.heap.used - memory.heap.free) + " MB",
        "Lists: what else is allocated, by panels, fonts and the graphics driver. Freed: not in "
        "use "
        "and kept for later. Program: code, above all that of the driver, which on a machine "
        "without a GPU holds a compiler, and the window's pixels.");
  }
  if (const std::size_t lost = gone.points + gone.timelines + gone.outcomes; lost > 0) {
    draw_note(style,
              fmt::format("! {} points, timelines, curves and pictures were let go of: ", lost) +
                  (view.opened.records() ? "the session file has them"
                                         : "no file has them; start with --record FILE to "
                                           "keep all that is measured"));
  }
  ImGui::Separator();
}

// Lines of the log that pass the filter. The same sentence among the last few is one line, with how
// often it was said.
struct LogLines {
  std::vector<const LogLine*> lines;
  std::vector<int> times;
  void add(const LogLine& line) {
    constexpr std::size_t kFew = 8;
    for (std::size_t i = lines.size(); i > 0 && i + kFew > lines.size(); --i) {
      const LogLine& before = *lines[i - 1];
      if (before.text != line.text || before.level != line.level) continue;
      ++times[i - 1];
      return;
    }
    lines.push_back(&line);
    times.push_back(1);
  }
  std::string words_of_times(std::size_t line) const {
    return times[line] > 1 ? " (" + std::to_string(times[line]) + " times)" : "";
  }
};

LogLines passing_lines(const PanelContext& context, const TableFilter& filter) {
  LogLines passing;
  for (const std::vector<LogLine>* log :
       {&context.view.log.lines(), &context.view.session().log()}) {
    for (const LogLine& line : *log) {
      // Most of the time there is no filter, and thousands of lines.
      if (filter.text[0] == '\0' ||
          passes(filter.text, {{words_cell(line.level), words_cell(line.text)}, 0}, 1))
        passing.add(line);
    }
  }
  return passing;
}

// What the window had to say, then what the engine said, newest last; a right click copies.
void draw_log(const PanelContext& context, Selection& selection, TableFilter& filter) {
  const Style& style = context.style;
  const TableColumn columns[] = {{"level", ""}, {"text", ""}};
  const TableBar bar = draw_table_bar("engine", "find in the log", filter, selection,
                                      ImGui::GetContentRegionAvail().x);
  const Session& session = context.view.session();
  const LogLines passing = passing_lines(context, filter);
  const std::vector<const LogLine*>& lines = passing.lines;
  if (lines.empty()) {
    return draw_note(style, context.view.log.lines().empty() && session.log().empty()
                                ? "The log is empty."
                                : "No line of the log passes the filter.");
  }
  const auto from_session = [&session](const LogLine* line) {
    const std::vector<LogLine>& log = session.log();
    return !log.empty() && line >= log.data() && line < log.data() + log.size();
  };
  ImGui::BeginChild("lines", {0, 0}, kReached);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(lines.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const LogLine& line = *lines[static_cast<std::size_t>(i)];
      // The level is a word, never colour alone. What was said in a recording is of that day.
      const bool then = context.view.recorded() && from_session(&line);
      const std::string text =
          (then ? "in the recording: " : "") +
          (line.level == "error" || line.level == "warning" ? line.level + ": " : "") + line.text +
          passing.words_of_times(static_cast<std::size_t>(i));
      ImGui::PushID(i);
      ImGui::PushStyleColor(ImGuiCol_Text, then                      ? style.colours.muted
                                           : line.level == "error"   ? style.colours.bad
                                           : line.level == "warning" ? style.colours.warning
                                                                     : style.colours.muted);
      draw_fitting_text(text, ImGui::GetContentRegionAvail().x);
      ImGui::PopStyleColor();
      if (ImGui::BeginPopupContextItem("line", ImGuiPopupFlags_MouseButtonRight)) {
        if (ImGui::MenuItem("copy the line")) ImGui::SetClipboardText(text.c_str());
        ImGui::EndPopup();
      }
      ImGui::PopID();
    }
  }
  ImGui::EndChild();
  if (!bar.wanted) return;
  std::vector<TableRow> rows;
  rows.reserve(lines.size());
  for (const LogLine* line : lines)
    rows.push_back({{words_cell(line->level), words_cell(line->text)}, rows.size()});
  selection.wish = rows_as_csv("engine", columns, rows);
}

}  // namespace

void draw_engine_panel(const PanelContext& context, Selection& selection, EnginePanel& state) {
  const Style& style = context.style;
  const SessionView& view = context.view;
  const Hello* hello = view.session().engine();
  const float half = ImGui::GetContentRegionAvail().x / 2;
  ImGui::BeginChild("capabilities", {half, 0}, kReached);
  const std::optional<Error> trouble = view.engines.trouble();
  if (trouble) draw_note(style, sentence(*trouble));
  const std::optional<EngineDelay> delay = view.engines.delay();
  if (delay) draw_note(style, delay_text(*delay));
  if (hello == nullptr && !trouble && !delay) {
    draw_note(style, view.engines.has_engine() ? "The engine is starting …"
                                               : "No engine: a recorded session is shown.");
  } else if (hello != nullptr) {
    const bool recorded = view.recorded() && !view.has_device() && hello->device;
    draw_device(style, *hello, recorded ? recorded_on(view, *hello->device) : "");
    for (const Capability& capability : hello->capabilities) {
      const bool untrusted = capability.available && !capability.reason.empty();
      const ImU32 doubt = recorded ? style.colours.muted : style.colours.warning;
      ImGui::PushStyleColor(ImGuiCol_Text, !capability.available ? style.colours.muted
                                           : untrusted           ? doubt
                                                                 : style.colours.good);
      ImGui::TextUnformatted(!capability.available ? "–" : untrusted ? "!" : "✔");
      ImGui::PopStyleColor();
      ImGui::SameLine(style.unit(3));
      ImGui::TextUnformatted(capability.name.c_str());
      ImGui::SameLine(style.unit(16));
      const std::string words =
          capability.available && !untrusted
              ? capability.version
              : capability.reason + (capability.remedy.empty() ? "" : "; " + capability.remedy);
      draw_fitting_text(words, ImGui::GetContentRegionAvail().x);
    }
  }
  if (view.engines.has_engine() && tool_button("start the engine anew"))
    context.requests.ask(request::RestartEngine{});
  if (view.has_device()) {
    ImGui::SameLine();
    if (tool_button("measure the roofs again")) context.requests.ask(request::Roofs{});
  }
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("log", {0, 0}, kReached);
  draw_memory(context, state.memory);
  draw_log(context, selection, state.filter);
  ImGui::EndChild();
}

}  // namespace warpscope
