// tests/engine/cupti_library_test.cpp: why CUPTI may refuse, and the remedy for each reason.
#include "profiling/engine/cuda/cupti_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace warpscope {
namespace {

using testing::HasSubstr;

constexpr const char* kAdminOnly = "RmLogonRC: 1\nRmProfilingAdminOnly: 1\nTCEBypassMode: 0\n";
constexpr const char* kEverybody = "RmLogonRC: 1\nRmProfilingAdminOnly: 0\nTCEBypassMode: 0\n";
constexpr const char* kPlainUser =
    "Name:\tx\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n";
// Bits 38 (CAP_PERFMON) and 21 (CAP_SYS_ADMIN). source: capabilities(7)
constexpr const char* kPerfmon = "CapEff:\t0000004000000000\nCapBnd:\t0000004000000000\n";
constexpr const char* kSysAdmin = "CapEff:\t0000000000200000\nCapBnd:\t0000000000200000\n";

std::string refusal(const char* params, const char* status, bool in_container) {
  return cupti_remedy(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, {params, status, in_container});
}

TEST(CuptiRemedy, TellsAPlainUserToBecomeRootOrOpenTheDriver) {
  const std::string remedy = refusal(kAdminOnly, kPlainUser, false);
  EXPECT_THAT(remedy, HasSubstr("root"));
  EXPECT_THAT(remedy, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
}

TEST(CuptiRemedy, TellsAContainerWhichCapabilityToAdd) {
  EXPECT_THAT(refusal(kAdminOnly, kPlainUser, true), HasSubstr("--cap-add=SYS_ADMIN"));
}

TEST(CuptiRemedy, DoesNotAskForACapabilityThatTheProcessHas) {
  for (const char* status : {kPerfmon, kSysAdmin}) {
    const std::string remedy = refusal(kAdminOnly, status, true);
    EXPECT_THAT(remedy, testing::Not(HasSubstr("cap-add"))) << status;
    EXPECT_THAT(remedy, HasSubstr("virtual GPU")) << status;
  }
}

TEST(CuptiRemedy, DoesNotBlameTheDriversSettingWhenEverybodyMayCount) {
  EXPECT_THAT(refusal(kEverybody, kPlainUser, false), testing::Not(HasSubstr("NVreg")));
}

TEST(CuptiRemedy, ReadsTheEffectiveCapabilitiesAndNotThePermittedOnes) {
  EXPECT_THAT(refusal(kAdminOnly, "CapPrm:\t0000004000000000\nCapEff:\t0000000000000000\n", false),
              HasSubstr("root"));
}

TEST(CuptiRemedy, LivesWithTextsThatAreNotThere) { EXPECT_FALSE(refusal("", "", false).empty()); }

TEST(CuptiRemedy, HasAnotherRemedyForEveryKindOfRefusal) {
  const Permissions plain{kAdminOnly, kPlainUser, false};
  std::set<std::string> remedies;
  for (const CUptiResult result :
       {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, CUPTI_ERROR_HARDWARE_BUSY,
        CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED,
        CUPTI_ERROR_NOT_SUPPORTED, CUPTI_ERROR_UNKNOWN}) {
    EXPECT_TRUE(remedies.insert(cupti_remedy(result, plain)).second) << result;
  }
}

TEST(CuptiRemedy, NamesTheOtherProfilersThatMayHoldTheCounters) {
  EXPECT_THAT(cupti_remedy(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, {}),
              HasSubstr("--hands-off"));
}

TEST(CuptiLibrary, LoadsWithAVersionOrSaysWhatToInstall) {
  const Result<const CuptiLibrary*> cupti = load_cupti();
  if (cupti) {
    EXPECT_NE(cupti_version(**cupti), "");
  } else {
    EXPECT_EQ(cupti.error().kind, ErrorKind::environment);
    EXPECT_THAT(cupti.error().remedy, HasSubstr("CUDA Toolkit 13"));
  }
}

}  // namespace
}  // namespace warpscope
