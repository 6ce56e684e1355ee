// profiling/figures/inert_text.h: text of others put into CSV, HTML, XML and Markdown, where it
// does nothing.
#pragma once

#include <string>
#include <string_view>

// Names, sentences and devices come from sessions, kernels and files that someone sent. In what is
// made of them they are text and nothing else: no formula, no tag, no link.

namespace warpscope {

// A cell of a CSV file. A cell that a spreadsheet would take for a formula gets an apostrophe
// before it, the sign for "this is text". Such a cell begins with = + - @ or a control character,
// after spaces or not, and is not a number. Quoted (RFC 4180) where it holds a comma, a semicolon,
// a quote, a tab or a line break.
std::string csv_cell(std::string_view text);

// Text or an attribute's value in HTML and XML. What XML cannot hold (control characters, bytes
// that are not UTF-8) becomes U+FFFD.
std::string markup_text(std::string_view text);

// A run of text in Markdown, on one line: marks have a backslash, so that they are seen and not
// obeyed; underscores inside a word mark nothing and stay as they are.
std::string markdown_text(std::string_view text);

}  // namespace warpscope
