#include "core/problem/instance/field_path.h"

#include "core/problem/instance/field_errors.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(FieldPathTest, WritesParentsFirst) {
  EXPECT_EQ(FieldPath("name").ToString(), "name");
  const FieldPath customer("customers", 17);
  EXPECT_EQ(customer.ToString(), "customers[17]");
  const FieldPath window(customer, "further_windows", 2);
  EXPECT_EQ(FieldPath(window, "late_cost").ToString(),
            "customers[17].further_windows[2].late_cost");
}

TEST(FieldErrorsTest, RejectsWindowsWithANegativeLateCost) {
  FieldErrors errors;
  EXPECT_TRUE(errors.CheckWindow("window", {.open = 0, .close = 9, .late_cost = 1}));
  EXPECT_FALSE(errors.CheckWindow("window", {.open = 0, .close = 9, .late_cost = -1}));
}

}  // namespace
}  // namespace vrp
