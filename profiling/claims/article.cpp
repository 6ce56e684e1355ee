// profiling/claims/article.cpp: what the article behind a scene said, beside what a session shows.
#include "profiling/claims/article.h"

#include <algorithm>

#include "profiling/claims/claim_text.h"

namespace warpscope {

std::vector<ArticleRow> article_rows(ClaimContext context) {
  context.axes = default_configuration(context.scene->axes);
  context.device_uuid = device_at_hand(context);
  std::vector<ArticleRow> rows;
  for (const ArticleClaim& claim : context.scene->article) {
    ArticleRow row;
    row.said = claim.said;
    if (const Result<Claim> read = parse_claim(claim.expression, *context.scene)) {
      const ClaimResult result = evaluate(*read, context);
      row.standing = result.standing;
      row.shown =
          result.standing == ClaimStanding::unknown ? result.why : resolve(claim.shown, context);
      row.remedy = result.remedy;
    } else {
      row.shown = sentence(read.error());
    }
    rows.push_back(std::move(row));
  }
  return rows;
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
