// workbench/window/capture.cpp: the dialog that writes a panel or the window as a picture.
#include "workbench/window/capture.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "workbench/drawing/keys.h"
#include "workbench/window/frame.h"

namespace warpscope {
namespace {

constexpr int kLeastWidth = 320, kLeastHeight = 240, kMostWidth = 7680, kMostHeight = 4320;
constexpr float kLeastScale = 0.5f, kMostScale = 4;

struct Size {
  const char* words;
  int width, height;
  float scale;
};
constexpr Size kSizes[] = {{"1280 × 720", 1280, 720, 1},
                           {"1920 × 1080", 1920, 1080, 1.5f},
                           {"3840 × 2160", 3840, 2160, 3}};

std::string title_of(const std::string& panel) {
  const PanelRow* row = find_panel(panel);
  return row == nullptr ? "the window" : row->title;
}

// A word in front, and the control after it at one place for all.
void row_label(const Style& style, const char* words) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("%s", words);
  ImGui::SameLine(style.unit(14));
}

bool choice(const Style& style, const char* words, bool chosen) {
  ImGui::PushStyleColor(ImGuiCol_Text, chosen ? style.colours.accent : style.colours.text);
  const bool clicked = ImGui::Button(words);
  ImGui::PopStyleColor();
  return clicked;
}

void draw_what(const Style& style, const FrameState& state, CaptureDialog& dialog) {
  row_label(style, "picture of");
  ImGui::SetNextItemWidth(style.unit(30));
  if (!ImGui::BeginCombo("##what", title_of(dialog.slide.panel).c_str())) return;
  if (ImGui::Selectable("the window", dialog.slide.panel == "window"))
    dialog.slide.panel = "window";
  for (const PanelRow& panel : all_panels()) {
    if (state.last_boxes.count(panel.name) == 0 && dialog.slide.panel != panel.name) continue;
    if (ImGui::Selectable(panel.title, dialog.slide.panel == panel.name))
      dialog.slide.panel = panel.name;
  }
  ImGui::EndCombo();
}

void draw_sizes(const Style& style, const FrameState& state, CaptureDialog& dialog) {
  SlideOptions& slide = dialog.slide;
  row_label(style, "size");
  for (const Size& size : kSizes) {
    if (choice(style, size.words, slide.width == size.width && slide.height == size.height)) {
      slide.width = size.width;
      slide.height = size.height;
      slide.scale = size.scale;
    }
    ImGui::SameLine();
  }
  if (choice(style, "as shown", false)) {
    const SlideOptions shown = as_shown(slide.panel, style, state);
    slide.width = shown.width;
    slide.height = shown.height;
    slide.scale = shown.scale;
  }
  row_label(style, "");
  ImGui::SetNextItemWidth(style.unit(9));
  ImGui::InputInt("##width", &slide.width, 0);
  ImGui::SameLine();
  ImGui::TextUnformatted("×");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(style.unit(9));
  ImGui::InputInt("##height", &slide.height, 0);
  slide.width = std::clamp(slide.width, kLeastWidth, kMostWidth);
  slide.height = std::clamp(slide.height, kLeastHeight, kMostHeight);
  ImGui::SameLine();
  ImGui::TextUnformatted("pixels");
  row_label(style, "size of text");
  ImGui::SetNextItemWidth(style.unit(30));
  ImGui::SliderFloat("##scale", &slide.scale, kLeastScale, kMostScale, "%.2f ×",
                     ImGuiSliderFlags_AlwaysClamp);
  if (slide.panel == "window") return;
  constexpr int kMostMargin = 200;
  row_label(style, "margins");
  ImGui::SetNextItemWidth(style.unit(30));
  ImGui::SliderInt("##margin", &slide.margin, 0, kMostMargin, "%d pixels",
                   ImGuiSliderFlags_AlwaysClamp);
}

void draw_look(const Style& style, CaptureDialog& dialog) {
  row_label(style, "theme");
  for (const auto& [theme, words] :
       {std::pair(Theme::dark, "dark"), std::pair(Theme::light, "light")}) {
    if (choice(style, words, dialog.slide.theme == theme)) dialog.slide.theme = theme;
    ImGui::SameLine();
  }
  ImGui::NewLine();
  row_label(style, "format");
  for (const auto& [svg, words] :
       {std::pair(false, "PNG, pixels"), std::pair(true, "SVG, sharp at every size")}) {
    if (choice(style, words, dialog.svg == svg)) dialog.svg = svg;
    ImGui::SameLine();
  }
  ImGui::NewLine();
}

void draw_file(const Style& style, CaptureDialog& dialog) {
  const std::string proposed = "warpscope-" + dialog.slide.panel;
  if (dialog.name == dialog.made || dialog.name.empty()) dialog.name = proposed;
  dialog.made = proposed;
  row_label(style, "file");
  ImGui::SetNextItemWidth(style.unit(30));
  ImGui::InputText("##name", &dialog.name);
  ImGui::SameLine();
  ImGui::TextUnformatted(dialog.svg ? ".svg" : ".png");
  const std::filesystem::path path = capture_path(dialog);
  std::error_code ignored;
  const bool there = std::filesystem::exists(path, ignored);
  row_label(style, "");
  ImGui::PushStyleColor(ImGuiCol_Text, there ? style.colours.warning : style.colours.muted);
  draw_fitting_text((there ? "overwrites " : "goes to ") + path.string(),
                    ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

}  // namespace

void toggle_capture(FrameState& state) {
  CaptureDialog& dialog = state.capture;
  dialog.open = !dialog.open;
  if (!dialog.open) return;
  dialog.slide.theme = state.theme;
  dialog.slide.panel = state.maximised.empty() ? "window" : state.maximised;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const auto& [name, box] : state.last_boxes) {
    if (box.contains(mouse.x, mouse.y)) dialog.slide.panel = name;
  }
}

std::filesystem::path capture_path(const CaptureDialog& dialog) {
  std::error_code ignored;
  return std::filesystem::current_path(ignored) / (dialog.name + (dialog.svg ? ".svg" : ".png"));
}

SlideOptions as_shown(const std::string& panel, const Style& style, const FrameState& state) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  Box box{0, 0, display.x, display.y};
  for (const auto* boxes : {&state.last_boxes, &state.boxes}) {
    if (const auto found = boxes->find(panel); found != boxes->end()) box = found->second;
  }
  SlideOptions slide;
  slide.panel = panel;
  slide.width = std::max(kLeastWidth, static_cast<int>(box.width()));
  slide.height = std::max(kLeastHeight, static_cast<int>(box.height()));
  slide.margin = static_cast<int>(std::lround(style.unit(1)));
  slide.scale = style.scale;
  slide.theme = style.theme;
  return slide;
}

void draw_capture_dialog(const Style& style, FrameState& state) {
  constexpr const char* kName = "picture";
  CaptureDialog& dialog = state.capture;
  if (dialog.open && !ImGui::IsPopupOpen(kName)) {
    // A click elsewhere, or the keyboard's own Esc, has closed it.
    if (std::exchange(dialog.shown, false)) {
      dialog.open = false;
      return;
    }
    ImGui::OpenPopup(kName);
  }
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(style.unit(80), 0.94f * display.x), 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {style.unit(2), style.unit(1.5f)});
  dialog.shown = ImGui::BeginPopup(kName);
  ImGui::PopStyleVar();
  if (!dialog.shown) return;
  push_face(style.large);
  ImGui::TextUnformatted("A picture for slides");
  ImGui::PopFont();
  draw_note(style, dialog.slide.panel == "window"
                       ? "The window as it is drawn at this size."
                       : "The panel alone: no buttons, no scroll bars, no text cut short.");
  draw_what(style, state, dialog);
  draw_sizes(style, state, dialog);
  draw_look(style, dialog);
  draw_file(style, dialog);
  const bool typing = ImGui::GetIO().WantTextInput;
  if (ImGui::Button("write it") || (!typing && key_pressed(ImGuiKey_Enter))) {
    dialog.slide.out = capture_path(dialog);
    state.slide_wish = dialog.slide;
    dialog.open = false;
  }
  ImGui::SameLine();
  if (ImGui::Button("close")) dialog.open = false;
  ImGui::SameLine();
  ImGui::TextDisabled("Enter and Esc");
  if (!dialog.open) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  dialog.shown = dialog.open;
}

}  // namespace warpscope
