// workbench/panels/engine_panel.cpp: device, versions, capabilities with remedies, and the log.
#include <imgui.h>

#include "workbench/panels.h"

namespace warpscope {
namespace {

void draw_device(const Style& style, const Hello& hello, bool recorded) {
  if (!hello.device) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
    ImGui::TextUnformatted("– no device");
    ImGui::PopStyleColor();
    return;
  }
  const DeviceDescription& d = *hello.device;
  ImGui::PushFont(style.large);
  ImGui::TextUnformatted(d.name.c_str());
  ImGui::PopFont();
  const auto line = [&](const std::string& text) {
    draw_fitting_text(text, ImGui::GetContentRegionAvail().x);
  };
  if (recorded) line("recorded: this session's measurements come from this device");
  line("compute capability " + std::to_string(d.compute_capability / 10) + "." +
       std::to_string(d.compute_capability % 10) + ", " + std::to_string(d.multiprocessors) +
       " multiprocessors, " + format_value(static_cast<double>(d.memory_bytes), "B") + ", L2 " +
       format_value(static_cast<double>(d.l2_bytes), "B"));
  line("driver " + hello.driver + ", toolkit " + hello.toolkit + ", build " + hello.build);
}

}  // namespace

void draw_engine_panel(const PanelContext& context, Selection& selection, EnginePanel&) {
  const Style& style = context.style;
  const Workspace& workspace = context.workspace;
  const Hello* hello = workspace.session().engine();
  const float half = ImGui::GetContentRegionAvail().x / 2;
  ImGui::BeginChild("capabilities", {half, 0});
  const std::optional<Error> trouble = workspace.engine_trouble();
  if (trouble) draw_note(style, sentence(*trouble));
  if (hello == nullptr && !trouble) {
    draw_note(style, workspace.has_engine() ? "The engine is starting …"
                                            : "No engine: a recorded session is shown.");
  } else if (hello != nullptr) {
    draw_device(style, *hello, workspace.recorded() && !workspace.has_device());
    for (const Capability& capability : hello->capabilities) {
      const bool untrusted = capability.available && !capability.reason.empty();
      ImGui::PushStyleColor(ImGuiCol_Text, !capability.available ? style.colours.muted
                                           : untrusted           ? style.colours.warning
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
  if (workspace.has_engine() && ImGui::Button("start the engine anew"))
    selection.requests.push_back({Request::Kind::restart_engine, ""});
  if (workspace.has_device()) {
    ImGui::SameLine();
    if (ImGui::Button("measure the roofs again"))
      selection.requests.push_back({Request::Kind::roofs, ""});
  }
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("log");
  const std::vector<LogLine>& log = workspace.session().log();
  if (log.empty()) draw_note(style, "The log is empty.");
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(log.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const LogLine& line = log[static_cast<std::size_t>(i)];
      ImGui::PushStyleColor(ImGuiCol_Text, line.level == "error"     ? style.colours.bad
                                           : line.level == "warning" ? style.colours.warning
                                                                     : style.colours.muted);
      draw_fitting_text(line.text, ImGui::GetContentRegionAvail().x);
      ImGui::PopStyleColor();
    }
  }
  ImGui::EndChild();
}

}  // namespace warpscope
