/* SPDX-License-Identifier: MIT
 *
 * A preloaded library that does nothing: what any preload costs at the least.
 */
extern const char empty_preload[];
const char empty_preload[] = "empty";
