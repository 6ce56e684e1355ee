// workbench/panels/terms.cpp: sentences whose words of the glossary explain themselves.
#include "workbench/panels/terms.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "profiling/text/glossary.h"
#include "workbench/drawing/style.h"

namespace warpscope {
namespace {

// Where ImGui broke a text into lines: the line that a byte is on, and where it begins there.
class Lines {
 public:
  Lines(const std::string& text, float wrap)
      : text_(text), wrap_(wrap), end_(text.c_str() + text.size()) {
    begin_ = text.c_str();
    next_ = break_after(begin_);
  }
  // Moves on to the line that has this byte.
  void go_to(std::size_t at) {
    const char* const wanted = text_.c_str() + at;
    while (next_ < end_ && wanted >= begin_of_next()) {
      begin_ = begin_of_next();
      next_ = break_after(begin_);
      ++line_;
    }
  }
  int line() const { return line_; }
  float x_of(std::size_t at) const {
    const char* const end = std::min(text_.c_str() + at, next_);
    if (end <= begin_) return 0;
    constexpr float kNoLimit = std::numeric_limits<float>::max();
    return ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), kNoLimit, 0, begin_, end).x;
  }
  std::size_t end_of_line() const { return static_cast<std::size_t>(next_ - text_.c_str()); }
  std::size_t next_line() const {
    return static_cast<std::size_t>(begin_of_next() - text_.c_str());
  }

 private:
  const std::string& text_;
  float wrap_;
  const char *end_, *begin_ = nullptr, *next_ = nullptr;
  int line_ = 0;

  const char* break_after(const char* from) const {
    const char* end = std::find(from, end_, '\n');
    if (wrap_ <= 0) return end;
    const char* wrapped =
        ImGui::GetFont()->CalcWordWrapPosition(ImGui::GetFontSize(), from, end_, wrap_);
    if (wrapped == from && from < end_) ++wrapped;  // one letter is wider than the line
    return std::min(end, wrapped);
  }
  // ImGui leaves out the spaces at which a line was wrapped.
  const char* begin_of_next() const {
    const char* at = next_;
    if (at < end_ && *at == '\n') return at + 1;
    while (at < end_ && *at == ' ') ++at;
    return at < end_ && *at == '\n' ? at + 1 : at;
  }
};

void underline(ImVec2 from, float width, float height, const Term& term) {
  constexpr float kFaint = 0.55f;
  const float y = std::floor(from.y + height) - 1;
  const ImU32 colour = ImGui::GetColorU32(ImGuiCol_TextDisabled, kFaint);
  ImGui::GetWindowDrawList()->AddLine({from.x, y}, {from.x + width, y}, colour);
  if (!ImGui::IsWindowHovered() ||
      !ImGui::IsMouseHoveringRect(from, {from.x + width, from.y + height}))
    return;
  constexpr float kWidthInLetters = 36, kMostRatio = 0.9f;
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushTextWrapPos(
      std::min(kWidthInLetters * ImGui::GetFontSize(), kMostRatio * ImGui::GetIO().DisplaySize.x));
  ImGui::TextUnformatted((term.name + ": " + term.meaning).c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace

void explain_terms(const std::string& text, float wrap) {
  if (for_slides() || !ImGui::IsItemVisible()) return;
  if ((ImGui::GetCurrentWindowRead()->Flags & ImGuiWindowFlags_Tooltip) != 0) return;
  const ImVec2 at = ImGui::GetItemRectMin();
  const float height = ImGui::GetTextLineHeight();
  Lines lines(text, wrap);
  for (const TermMark& mark : glossary().find(text)) {
    const Term& term = glossary().terms()[mark.term];
    // A term of several words may go on in the next line.
    for (std::size_t begin = mark.at; begin < mark.at + mark.length;) {
      lines.go_to(begin);
      const std::size_t end = std::min(mark.at + mark.length, lines.end_of_line());
      const float x = lines.x_of(begin);
      underline({at.x + x, at.y + static_cast<float>(lines.line()) * height}, lines.x_of(end) - x,
                height, term);
      begin = end == mark.at + mark.length ? end : std::max(begin + 1, lines.next_line());
    }
  }
}

void draw_sentence(const std::string& text) {
  const float wrap = ImGui::GetContentRegionAvail().x;
  ImGui::TextWrapped("%s", text.c_str());
  explain_terms(text, wrap);
}

}  // namespace warpscope
