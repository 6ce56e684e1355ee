// profiling/capture/settings.cpp: settings of the injected library as JSON and back.
#include "profiling/capture/settings.h"

#include <nlohmann/json.hpp>

namespace warpscope {

using nlohmann::json;

std::string settings_text(const CaptureSettings& s) {
  return json{{"socket", s.socket},
              {"folder", s.folder},
              {"cupti", s.cupti},
              {"without_cupti", s.without_cupti},
              {"take", s.take},
              {"live", s.live},
              {"kernel", s.kernel},
              {"range", s.range},
              {"symbol", s.symbol},
              {"number", s.number},
              {"every_shape", s.every_shape},
              {"most", s.most},
              {"times", s.times},
              {"data", s.data},
              {"budget_bytes", s.budget_bytes},
              {"limit_s", s.limit_s}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<CaptureSettings> settings_of(const std::string& text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  CaptureSettings s;
  try {
    s.socket = object.value("socket", s.socket);
    s.folder = object.value("folder", s.folder);
    s.cupti = object.value("cupti", s.cupti);
    s.without_cupti = object.value("without_cupti", s.without_cupti);
    s.take = object.value("take", s.take);
    s.live = object.value("live", s.live);
    s.kernel = object.value("kernel", s.kernel);
    s.symbol = object.value("symbol", s.symbol);
    s.range = object.value("range", s.range);
    s.number = object.value("number", s.number);
    s.every_shape = object.value("every_shape", s.every_shape);
    s.most = object.value("most", s.most);
    s.times = object.value("times", s.times);
    s.data = object.value("data", s.data);
    s.budget_bytes = object.value("budget_bytes", s.budget_bytes);
    s.limit_s = object.value("limit_s", s.limit_s);
  } catch (const json::exception&) {
    return std::nullopt;
  }
  return s;
}

}  // namespace warpscope
