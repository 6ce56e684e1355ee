// profiling/claims/article.h: what the article of a scene said, beside what a session shows.
#pragma once

#include <string>
#include <vector>

#include "profiling/claims/claim.h"

// A scene retells an article, and an article's claims were measured on one machine: each is a
// relation (ArticleClaim in scenes/base/scene.h) that is evaluated on the session at hand, at the
// configuration that it names. The card shows them as rows; so do reports and `warpscope list`.
//
//   for (const ArticleRow& row : article_rows({&scene, &session})) show(row.said, row.standing);
//
// A window makes one row after another, as many in a frame as there is time for:
//   const ClaimContext context = at_defaults({&scene, &session});
//   rows.push_back(article_row(context, scene.article[rows.size()]));

namespace warpscope {

struct ArticleRow {
  std::string said;
  ClaimStanding standing = ClaimStanding::unknown;
  std::string shown;   // what this device shows, with its figures; of unknown: what is missing
  std::string remedy;  // of unknown
};

// In the order of the scene. The context's axes do not matter: claims stand at the scene's defaults
// but for what they name after @.
std::vector<ArticleRow> article_rows(ClaimContext context);
// The context of these rows, and one of them.
ClaimContext at_defaults(ClaimContext context);
ArticleRow article_row(const ClaimContext& at_defaults, const ArticleClaim& claim);
// The same in two pieces of about equal work, for who has little time at once: whether the claim
// holds, and then what is shown beside it.
ArticleRow judged_row(const ClaimContext& at_defaults, const ArticleClaim& claim);
void fill_row(const ClaimContext& at_defaults, const ArticleClaim& claim, ArticleRow& judged);

// A table of the article with the figures of the context's session in it. A figure that is missing
// says why, or which command measures it.
struct FilledTable {
  std::string title, note;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};
// In the order of the scene, at its defaults; empty: it has none.
std::vector<FilledTable> filled_tables(ClaimContext context);

// The devices on which points of a scene were measured, by UUID or name, in the order first
// measured; the emulator is none.
std::vector<std::string> devices_of(const Session& session, const Scene& scene);

}  // namespace warpscope
