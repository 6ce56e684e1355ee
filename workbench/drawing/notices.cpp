// workbench/drawing/notices.cpp: what the window has to say for some seconds, above its status
// line.
#include "workbench/drawing/notices.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

namespace warpscope {
namespace {

constexpr double kSeconds = 8;
constexpr std::size_t kMost = 4;  // at once

}  // namespace

void Notices::say(std::string words) {
  if (!shown.empty() && shown.back().words == words) return;
  shown.push_back({std::move(words), 0});
}

void draw_notices(Notices& notices, Workspace& workspace, float bottom, const Style& style) {
  for (const std::string& words : workspace.view().log.notices()) notices.say(words);
  workspace.log.clear_notices();
  const double now = ImGui::GetTime();
  for (Notice& notice : notices.shown) {
    if (notice.until != 0) continue;
    notice.until = now + kSeconds;
    workspace.log.add({"notice", notice.words, 0});
  }
  std::erase_if(notices.shown, [now](const Notice& notice) { return notice.until < now; });
  while (notices.shown.size() > kMost) notices.shown.pop_front();
  if (notices.shown.empty()) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({ImGui::GetMainViewport()->Pos.x + display.x - style.unit(1), bottom},
                          ImGuiCond_Always, {1, 1});
  const float width = std::min(style.unit(72), display.x * 0.6f);
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, style.colours.raised);
  ImGui::PushStyleColor(ImGuiCol_Border, style.colours.accent);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.0f, style.unit(0.125f)));
  ImGui::Begin("notices", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoInputs |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_AlwaysAutoResize);
  for (std::size_t i = 0; i < notices.shown.size(); ++i) {
    if (i > 0) ImGui::Separator();
    ImGui::TextWrapped("%s", notices.shown[i].words.c_str());
  }
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
}

std::filesystem::path unused_path(const std::filesystem::path& path) {
  std::error_code unknown;
  std::filesystem::path free = path;
  constexpr int kMostNames = 100000;  // beyond: the last one is written over
  for (int n = 2; std::filesystem::exists(free, unknown) && n < kMostNames; ++n) {
    free = path.parent_path() /
           (path.stem().string() + "-" + std::to_string(n) + path.extension().string());
  }
  return free;
}

std::string wrote_words(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::absolute(path, unknown);
  return "wrote " + path.filename().string() + " to " + whole.parent_path().string();
}

}  // namespace warpscope
