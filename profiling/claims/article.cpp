// profiling/claims/article.cpp: what the article of a scene said, beside what a session shows.
#include "profiling/claims/article.h"

#include <algorithm>
#include <utility>

#include "profiling/claims/claim_text.h"
#include "scenes/article_table.h"

namespace warpscope {
namespace {

std::string without_figure(const ClaimFigureText& figure) {
  if (!figure.command.empty()) return "not measured: `" + figure.command + "`";
  return "– (" + figure.why + (figure.remedy.empty() ? "" : ": " + figure.remedy) + ")";
}

}  // namespace

ClaimContext at_defaults(ClaimContext context) {
  context.axes = default_configuration(context.scene->axes);
  context.device_uuid = device_at_hand(context);
  return context;
}

ArticleRow judged_row(const ClaimContext& at_defaults, const ArticleClaim& claim) {
  ArticleRow row;
  row.said = claim.said;
  const Result<Claim> read = parse_claim(claim.expression, *at_defaults.scene);
  if (!read) {
    row.shown = sentence(read.error());
    return row;
  }
  const ClaimResult result = evaluate(*read, at_defaults);
  row.standing = result.standing;
  if (result.standing == ClaimStanding::unknown) row.shown = result.why;
  row.remedy = result.remedy;
  return row;
}

void fill_row(const ClaimContext& at_defaults, const ArticleClaim& claim, ArticleRow& judged) {
  if (judged.standing != ClaimStanding::unknown) judged.shown = resolve(claim.shown, at_defaults);
}

ArticleRow article_row(const ClaimContext& at_defaults, const ArticleClaim& claim) {
  ArticleRow row = judged_row(at_defaults, claim);
  fill_row(at_defaults, claim, row);
  return row;
}

std::vector<ArticleRow> article_rows(ClaimContext context) {
  context = at_defaults(std::move(context));
  std::vector<ArticleRow> rows;
  for (const ArticleClaim& claim : context.scene->article)
    rows.push_back(article_row(context, claim));
  return rows;
}

std::vector<FilledTable> filled_tables(ClaimContext context) {
  if (!context.scene->tables) return {};
  context = at_defaults(std::move(context));
  const auto filled = [&](const std::string& text) {
    return resolve(text, context, {}, without_figure);
  };
  std::vector<FilledTable> tables;
  for (const ArticleTable& table : context.scene->tables()) {
    FilledTable& made = tables.emplace_back();
    made.title = table.title;
    made.note = filled(table.note);
    made.header = table.header;
    for (const std::vector<std::string>& row : table.rows) {
      made.rows.emplace_back();
      for (const std::string& cell : row) made.rows.back().push_back(filled(cell));
    }
  }
  return tables;
}

std::vector<std::string> devices_of(const Session& session, const Scene& scene) {
  std::vector<std::string> devices;
  for (const Measurement* point : session.all_points()) {
    const std::string device = device_of(point->conditions).id();
    if (!on_a_device(*point)) continue;
    if (point->scene == scene.name &&
        std::find(devices.begin(), devices.end(), device) == devices.end())
      devices.push_back(device);
  }
  return devices;
}

}  // namespace warpscope
