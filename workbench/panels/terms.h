// workbench/panels/terms.h: sentences whose words of the glossary explain themselves.
#pragma once

#include <string>

namespace warpscope {

// Call after a text was drawn as an item: underlines the terms of the glossary in it. Under the
// pointer, a term shows its line of the glossary. The text is what was drawn, with its line breaks;
// `wrap` is the width at which ImGui wrapped it, 0 if it did not. Pictures for slides and tooltips
// have no such lines: nobody can point at them.
void explain_terms(const std::string& text, float wrap = 0);

// A sentence that wraps, with its terms explained.
void draw_sentence(const std::string& text);

}  // namespace warpscope
