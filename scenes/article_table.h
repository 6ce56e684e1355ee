// scenes/article_table.h: a table of the article that a scene retells, to be filled by a session.
#pragma once

#include <string>
#include <vector>

// A scene retells an article, and the article may have tables whose cells it left empty, or that
// were measured on one machine. Scene::tables gives them with the article's titles: every cell is
// a text of profiling/claims/claim_text.h at the scene's defaults. What is worked out by a formula
// stands in it as a number, what is measured as a figure in braces, "formula 64.8 · counted
// {naive_nhwc.dram.bytes_read / 1 MiB}". A report puts the figures of its session there, and where
// one is missing the reason and the command that measures it.

namespace warpscope {

struct ArticleTable {
  std::string title;                           // as the article has it
  std::string note;                            // what the cells are, and of which conditions
  std::vector<std::string> header;             // the first column is of rows' titles
  std::vector<std::vector<std::string>> rows;  // as wide as the header; no cell is empty
};

}  // namespace warpscope
