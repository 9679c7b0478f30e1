/* SPDX-License-Identifier: MIT
 *
 * A program without an interpreter: the shim cannot be loaded into it.
 */
int main(void)
{
    return 0;
}
