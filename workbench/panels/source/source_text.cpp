// workbench/panels/source/source_text.cpp: the lines of a kernel: colours, what is looked for, what
// is not compiled.
#include "workbench/panels/source/source_text.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>

#include "profiling/listings/active_lines.h"
#include "scenes/base/source.h"
#include "scenes/host/paths.h"
#include "workbench/panels/diagrams/hang_picture.h"
#include "workbench/panels/source/source_editor.h"
#include "workbench/panels/source/source_listing.h"
#include "workbench/panels/spotlight.h"

namespace warpscope {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_keyword(std::string_view word) {
  constexpr std::array<std::string_view, 28> kWords = {"__global__",
                                                       "__device__",
                                                       "__shared__",
                                                       "__forceinline__",
                                                       "__restrict__",
                                                       "__launch_bounds__",
                                                       "extern",
                                                       "const",
                                                       "constexpr",
                                                       "int",
                                                       "long",
                                                       "float",
                                                       "float4",
                                                       "double",
                                                       "void",
                                                       "unsigned",
                                                       "if",
                                                       "for",
                                                       "while",
                                                       "return",
                                                       "else",
                                                       "template",
                                                       "typename",
                                                       "static_cast",
                                                       "reinterpret_cast",
                                                       "struct",
                                                       "bool",
                                                       "break"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// One line in up to three colours: comments, keywords and directives, the rest; all of a line that
// is not compiled in one.
void draw_code(const Style& style, const std::string& line, bool dim) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImVec2 at = ImGui::GetCursorScreenPos();
  const auto put = [&](std::string_view text, ImU32 colour) {
    list->AddText(at, dim ? faded(style.colours.muted, 0.65f) : colour, text.data(),
                  text.data() + text.size());
    at.x += ImGui::CalcTextSize(text.data(), text.data() + text.size()).x;
  };
  const std::size_t comment = line.find("//");
  const std::string_view code = std::string_view(line).substr(0, comment);
  if (!code.empty() && code.front() == '#') {
    put(code, style.colours.warning);
  } else {
    std::size_t i = 0;
    while (i < code.size()) {
      std::size_t end = i + 1;
      while (end < code.size() && is_word(code[end]) == is_word(code[i])) ++end;
      const std::string_view piece = code.substr(i, end - i);
      const bool intrinsic = piece.starts_with("__") || piece == "atomicAdd" ||
                             piece == "threadIdx" || piece == "blockIdx" || piece == "blockDim" ||
                             piece == "gridDim";
      put(piece, is_keyword(piece) ? style.colours.accent
                 : intrinsic       ? style.colours.good
                                   : style.colours.text);
      i = end;
    }
  }
  if (comment != std::string::npos)
    put(std::string_view(line).substr(comment), style.colours.muted);
  ImGui::Dummy({at.x - ImGui::GetCursorScreenPos().x, ImGui::GetTextLineHeight()});
}

// Drawn below the text of line `i`: the matches of the searched word, the present one brighter.
void mark_matches(const Style& style, const SourcePanel& state, std::size_t i) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string& line = state.lines[i];
  auto match = std::lower_bound(state.matches.begin(), state.matches.end(), i,
                                [](const TextMatch& m, std::size_t l) { return m.line < l; });
  for (; match != state.matches.end() && match->line == i; ++match) {
    const char* text = line.c_str();
    const float from = ImGui::CalcTextSize(text, text + match->begin).x;
    const float to = ImGui::CalcTextSize(text, text + match->end).x;
    const bool present = static_cast<std::size_t>(match - state.matches.begin()) == state.match;
    const ImVec2 low{at.x + from, at.y}, high{at.x + to, at.y + ImGui::GetTextLineHeight()};
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(low, high, faded(style.colours.warning, present ? 0.5f : 0.25f));
    if (present) list->AddRect(low, high, style.colours.warning);
  }
}

// The ground of the chosen line, with a bar before it: never colour alone.
void mark_chosen(const Style& style) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float left = ImGui::GetWindowPos().x, height = ImGui::GetTextLineHeight();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled({left, at.y}, {left + ImGui::GetWindowWidth(), at.y + height},
                      faded(style.colours.accent, 0.16f));
  list->AddRectFilled({left, at.y}, {left + style.unit(0.375f), at.y + height},
                      style.colours.accent);
}

void go_to_match(SourcePanel& state, std::size_t match) {
  state.match = match;
  show_line(state, static_cast<int>(state.matches[match].line) + 1);
}

// Looks anew where the words or the text are other ones; from the line in view on.
void look(SourcePanel& state) {
  const std::string before = state.matched.last() ? state.matched.last()->words : "";
  if (!state.matched.changes_to({state.filter.text, state.text_hash})) return;
  const bool other_words = before != state.filter.text;
  state.matches = matches_of(state.lines, state.filter.text);
  const auto from = static_cast<std::size_t>(std::max(0, state.chosen - 1));
  state.match = match_from(state.matches, from);
  if (other_words && !state.matches.empty()) go_to_match(state, state.match);
}

// The ground of a line that does not compile, with the sentence on hover.
void mark_mistake(const Style& style, const std::vector<Mistake>& mistakes, const std::string& path,
                  int number) {
  for (const Mistake& mistake : mistakes) {
    if (mistake.line != number || mistake.file != path) continue;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float left = ImGui::GetWindowPos().x;
    const ImVec2 low{left, at.y};
    const ImVec2 high{left + ImGui::GetWindowWidth(), at.y + ImGui::GetTextLineHeight()};
    ImGui::GetWindowDrawList()->AddRectFilled(low, high, faded(style.colours.bad, 0.25f));
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high))
      ImGui::SetTooltip("%s", mistake.sentence.c_str());
  }
}

void draw_one_line(const Style& style, Selection& selection, const SourceColumns& columns,
                   const HangStory* hang, const std::vector<Mistake>& mistakes, SourcePanel& state,
                   int i) {
  const int number = i + 1;
  mark_mistake(style, mistakes, state.path, number);
  const auto index = static_cast<std::size_t>(i);
  const float top = ImGui::GetCursorScreenPos().y;
  if (state.chosen == number) mark_chosen(style);
  draw_source_cells(style, selection, columns, state.path, number);
  const float left = ImGui::GetCursorScreenPos().x;
  ImGui::TextDisabled("%4d ", number);
  ImGui::SameLine();
  mark_matches(style, state, index);
  const bool inactive = std::binary_search(state.inactive.begin(), state.inactive.end(), index);
  draw_code(style, state.lines[index], inactive);
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth();
  const bool over =
      ImGui::IsWindowHovered() &&
      ImGui::IsMouseHoveringRect({left, top}, {right, top + ImGui::GetTextLineHeight()});
  if (over) {
    selection.trace.hovering.file = state.path;
    selection.trace.hovering.line = number;
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
      forget_rows(state);
      state.chosen = number;
      state.led = true;
      state.ptx.follow = state.machine.follow = true;
    }
    if (inactive)
      ImGui::SetTooltip("The chosen variant is compiled without this line: an #if leaves it out.");
  }
  if (hang != nullptr) draw_hang_mark(style, *hang, state.path, number);
}

}  // namespace

std::string kernel_file(const SessionView& view, const std::string& path) {
  if (const std::string file = file_in_folder(view, path); !file.empty())
    return (view.shown.folder() / file).lexically_normal().string();
  const Catalogue& catalogue = view.shown.catalogue();
  if (const std::filesystem::path file = catalogue.file_of(view.shown.name());
      !file.empty() && catalogue.text(view.shown.name())->sources.front().path == path)
    return file.string();
  const Result<std::filesystem::path> home = home_folder();
  return home ? (*home / "kernels" / path).lexically_normal().string() : "kernels/" + path;
}

void load_text(const Catalogue& catalogue, SourcePanel& state, const std::string& path) {
  const Result<KernelSource> source = catalogue.kernel(path);
  const std::string content = source ? source->text : sentence(source.error());
  const std::string hash = source ? source->hash : content;
  if (hash == state.text_hash && path == state.path) return;
  state.path = path;
  state.text_hash = hash;
  state.lines = lines_of(content);
  state.inactive.clear();
  state.inactive_of.forget();
}

void show_line(SourcePanel& state, int line) {
  forget_rows(state);
  state.chosen = state.scroll_to = line;
  state.ptx.follow = state.machine.follow = true;
  state.led = true;
}

void draw_search(const Style& style, SourcePanel& state, float width) {
  const bool any = state.filter.text[0] != '\0';
  std::string found;
  if (any) {
    found = state.matches.empty()
                ? "not found"
                : std::to_string(state.match + 1) + " of " + std::to_string(state.matches.size());
  }
  const float words = any ? ImGui::CalcTextSize("0000 of 0000").x : 0;
  ImGui::SetNextItemWidth(std::max(style.unit(8), width - words));
  if (state.filter.focus) ImGui::SetKeyboardFocusHere();
  state.filter.focus = false;
  const bool entered =
      ImGui::InputTextWithHint("##search", "find (Ctrl+F)", state.filter.text,
                               sizeof state.filter.text, ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Finds words in this text. Enter goes to the next one, Shift+Enter back.");
  look(state);
  if (entered) {
    state.filter.focus = true;  // Enter leaves the box; the next one is looked for from within
    const std::size_t count = state.matches.size();
    const std::size_t by = ImGui::GetIO().KeyShift ? count - 1 : 1;
    if (count > 0) go_to_match(state, (state.match + by) % count);
  }
  if (!any) return;
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Text,
                        state.matches.empty() ? style.colours.warning : style.colours.muted);
  ImGui::TextUnformatted(found.c_str());
  ImGui::PopStyleColor();
}

void find_inactive(const Catalogue& catalogue, SourcePanel& state, const Listing& listing) {
  if (!state.inactive_of.changes_to({state.path, state.text_hash, listing.defines})) return;
  state.inactive = inactive_lines(state.lines, listing.defines,
                                  [&](const std::string& name) -> std::optional<std::string> {
                                    Result<KernelSource> header = catalogue.kernel(name);
                                    if (!header) return std::nullopt;
                                    return std::move(header->text);
                                  });
}

void push_code_spacing(const Style& style) {
  constexpr float kBetweenUnits = 0.25f;
  ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, style.unit(kBetweenUnits));
}

void draw_lines(const PanelContext& context, Selection& selection, const SourceColumns& columns,
                const HangStory* hang, SourcePanel& state) {
  const float height = ImGui::GetTextLineHeightWithSpacing();
  if (state.scroll_to > 0) {
    // A third of the way down: what leads to the line stands above it.
    const float place = static_cast<float>(state.scroll_to - 1) * height;
    ImGui::SetScrollY(std::max(0.0f, place - ImGui::GetWindowHeight() / 3));
    state.scroll_to = 0;
  }
  if (ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0) state.led = true;
  const bool pointed_at = context.spotlight != nullptr && context.spotlight->fresh;
  const int lit = lit_line(context, state.lines, height);
  if (lit >= 0 && pointed_at) {
    show_line(state, lit + 1);  // its instructions come into view beside it
    state.scroll_to = 0;        // the spotlight has scrolled here
  }
  const std::vector<Mistake> mistakes = mistakes_in(context.view, selection.variant);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(state.lines.size()), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      if (i == lit) light_row(context);
      draw_one_line(context.style, selection, columns, hang, mistakes, state, i);
    }
  }
}

}  // namespace warpscope
