// profiling/points/run_outcomes.cpp: the curves and pictures that a scene makes of what a run left.
#include "profiling/points/run_outcomes.h"

#include <cmath>
#include <cstring>
#include <map>
#include <utility>

namespace warpscope {
namespace {

Series series_of(const CurveSpec& curve, const std::vector<std::byte>& bytes) {
  Series series;
  series.name = curve.name;
  series.label = curve.label;
  series.along = curve.along;
  series.unit = curve.unit;
  for (std::size_t i = 0; i < bytes.size() / sizeof(float); ++i) {
    float value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    if (!std::isfinite(value)) continue;
    series.x.push_back(static_cast<double>(i + 1));
    series.y.push_back(value);
  }
  return series;
}

}  // namespace

RunOutcomes outcomes_of(const Scene& scene, const Workload& workload, const Measurement& m,
                        const BufferReader& read) {
  RunOutcomes outcomes;
  if (!has_figures(m.verdict.outcome)) return outcomes;
  const auto failed = [&](const std::string& what, const Error& error) {
    if (error.kind != ErrorKind::usage) outcomes.missing.push_back(what + ": " + sentence(error));
  };
  for (const CurveSpec& curve : scene.curves) {
    const Result<std::vector<std::byte>> bytes = read(curve.buffer);
    if (!bytes) {
      failed(curve.label, bytes.error());
      continue;
    }
    Series series = series_of(curve, *bytes);
    series.job = m.job;
    series.point = id_of(m);
    outcomes.series.push_back(std::move(series));
  }
  for (const PictureSpec& spec : scene.pictures) {
    std::map<std::string, std::vector<std::byte>> kept;
    HostBuffers buffers;
    bool whole = true;
    for (const std::string& name : spec.reads) {
      Result<std::vector<std::byte>> bytes = read(name);
      if (!bytes) {
        failed(spec.caption, bytes.error());
        whole = false;
        break;
      }
      buffers[name] = kept[name] = std::move(*bytes);
    }
    if (!whole) continue;
    Raster raster = spec.draw(workload, buffers);
    if (raster.width < 1 || raster.height < 1 || raster.width > kMostPictureSide ||
        raster.height > kMostPictureSide ||
        raster.rgb.size() != 3 * static_cast<std::size_t>(raster.width) * raster.height) {
      outcomes.missing.push_back(spec.caption + ": a picture of " + std::to_string(raster.width) +
                                 " × " + std::to_string(raster.height) + " pixels with " +
                                 std::to_string(raster.rgb.size()) + " bytes cannot be shown");
      continue;
    }
    outcomes.pictures.push_back({m.job, id_of(m), spec.name, spec.caption, raster.width,
                                 raster.height, std::move(raster.rgb)});
  }
  return outcomes;
}

}  // namespace warpscope
