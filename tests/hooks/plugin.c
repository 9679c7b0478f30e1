/* SPDX-License-Identifier: MIT
 *
 * A library to load.
 */
int plugin_answer(void);

int plugin_answer(void)
{
    return 42;
}
