// workbench/window/files/kernel_list.cpp: the kernels of a compiled file, in a dialog.
#include "workbench/window/files/kernel_list.h"

#include <imgui.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "profiling/binaries/compiled_occupancy.h"
#include "profiling/figures/metric.h"
#include "scenes/base/texts/machine_code.h"
#include "scenes/host/program.h"
#include "workbench/client/own_binary.h"
#include "workbench/drawing/keys.h"

namespace warpscope {
namespace {

constexpr const char* kTitle = "Kernels of a compiled file";
constexpr std::int64_t kBlockThreads = 256;

std::string ptx_text(const NamedKernel& kernel) {
  std::string text;
  for (const CodeTarget& target : kernel.ptx) text += (text.empty() ? "" : ", ") + ptx_name(target);
  return text.empty() ? "none" : text;
}

void add_lines(const NamedKernel& kernel, KernelList& list) {
  KernelLine line;
  line.kernel = visible_name(kernel.name.name);
  line.ptx = ptx_text(kernel);
  if (!kernel.ptx.empty())
    line.command = "warpscope trace " + list.path + " --kernel '" + line.kernel +
                   "' --grid … --block … --arg …";
  if (kernel.compiled.empty()) {
    line.target = line.registers = line.shared = line.occupancy = "–";
    list.lines.push_back(std::move(line));
    return;
  }
  for (const CompiledKernel& compiled : kernel.compiled) {
    line.target = machine_name(compiled.target);
    line.registers = std::to_string(compiled.code.registers);
    line.shared = grouped(compiled.code.static_shared_bytes) + " B";
    line.occupancy = "–";
    if (const auto found = occupancy_of(compiled, kBlockThreads)) {
      char text[64];
      std::snprintf(text, sizeof text, "%.0f %% (%s threads, %s)", 100 * found->occupancy.ratio,
                    grouped(found->threads).c_str(), to_text(found->occupancy.limit));
      line.occupancy = text;
    }
    list.lines.push_back(line);
  }
}

// A click on a line gives its command.
std::optional<std::string> draw_lines(const KernelList& list) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV;
  std::optional<std::string> clicked;
  if (!ImGui::BeginTable("kernels", 6, kFlags, {0, -2 * ImGui::GetFrameHeightWithSpacing()}))
    return clicked;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const char* name : {"kernel", "for", "registers", "static shared", "occupancy", "PTX"})
    ImGui::TableSetupColumn(name);
  ImGui::TableHeadersRow();
  const std::string part = list.filter;
  int row = 0;
  for (const KernelLine& line : list.lines) {
    if (line.kernel.find(part) == std::string::npos && line.target != part) continue;
    ImGui::PushID(row++);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (ImGui::Selectable(line.kernel.c_str(), false, ImGuiSelectableFlags_SpanAllColumns) &&
        !line.command.empty())
      clicked = line.command;
    for (const std::string& cell :
         {line.target, line.registers, line.shared, line.occupancy, line.ptx}) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(cell.c_str());
    }
    ImGui::PopID();
  }
  ImGui::EndTable();
  return clicked;
}

}  // namespace

Result<KernelList> kernel_list_of(const std::string& path) {
  Result<BinaryFile> file = read_own_binary(path);
  if (!file) return tl::unexpected(file.error());
  KernelList list;
  list.path = path;
  list.title = std::filesystem::path(path).filename().string() + ": " + to_text(file->kind) + ", " +
               grouped(static_cast<std::int64_t>(file->kernels.size())) +
               (file->kernels.size() == 1 ? " kernel" : " kernels");
  for (const NamedKernel& kernel : file->kernels) add_lines(kernel, list);
  list.not_read = std::move(file->not_read);
  return list;
}

std::optional<std::string> draw_kernel_list(std::optional<KernelList>& list, const Style& style) {
  if (!list) return std::nullopt;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  if (!ImGui::IsPopupOpen(kTitle)) ImGui::OpenPopup(kTitle);
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize(
      {std::min(style.unit(150), display.x * 0.92f), std::min(style.unit(76), display.y * 0.88f)});
  if (!ImGui::BeginPopupModal(kTitle, nullptr,
                              ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings))
    return std::nullopt;
  ImGui::TextUnformatted(visible_name(list->title).c_str());
  ImGui::TextWrapped(
      "The file has machine code alone, and none for %s that may be emulated. Compile it with PTX "
      "(nvcc -gencode arch=compute_90,code=compute_90), and the window runs its kernels.",
      kEmulatedMachineCodeNames);
  for (const std::string& what : list->not_read)
    ImGui::TextDisabled("not read: %s", visible_name(what).c_str());
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##part", "a part of the name, or an architecture", list->filter,
                           sizeof list->filter);
  std::optional<std::string> clicked = draw_lines(*list);
  if (clicked) ImGui::SetClipboardText(clicked->c_str());
  ImGui::TextDisabled(
      "A click copies the command that traces the kernel, if it has PTX · Esc "
      "closes");
  if (key_pressed(ImGuiKey_Escape)) {
    ImGui::CloseCurrentPopup();
    list.reset();
  }
  ImGui::EndPopup();
  return clicked;
}

}  // namespace warpscope
