# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
#
# cpp-httplib: C++; every test starts a server with a pool of threads and talks to it from others.
packages='g++ libc6-dev libgtest-dev libssl-dev zlib1g-dev libbrotli-dev openssl'
sources=cpp-httplib
minutes=20

build() {
    cd test || return
    # One millisecond for a server to start, and a test that hangs without: too little on a busy machine.
    sed -i 's/sleep_for(std::chrono::milliseconds(1))/sleep_for(std::chrono::milliseconds(200))/' test.cc
    openssl genrsa -out key.pem 2048
    openssl req -new -batch -config test.conf -key key.pem -out temp_req
    openssl x509 -in temp_req -days 3650 -req -signkey key.pem -out cert.pem
    openssl req -x509 -config test.conf -key key.pem -sha256 -days 3650 -nodes -out cert2.pem -extensions SAN
    openssl genrsa -aes256 -passout pass:test123! -out key_encrypted.pem 2048
    openssl req -x509 -config test.conf -key key_encrypted.pem -passin pass:test123! -sha256 -days 3650 \
        -nodes -out cert_encrypted.pem -extensions SAN
    openssl genrsa -out rootCA.key.pem 2048
    openssl req -x509 -new -batch -config test.rootCA.conf -key rootCA.key.pem -days 1024 -out rootCA.cert.pem
    openssl genrsa -out client.key.pem 2048
    openssl req -new -batch -config test.conf -key client.key.pem -out client_temp_req
    openssl x509 -in client_temp_req -days 370 -req -CA rootCA.cert.pem -CAkey rootCA.key.pem -CAcreateserial \
        -out client.cert.pem
    g++ -std=c++14 -O1 -I.. -DCPPHTTPLIB_OPENSSL_SUPPORT -DCPPHTTPLIB_ZLIB_SUPPORT -DCPPHTTPLIB_BROTLI_SUPPORT \
        -o suite test.cc -lgtest_main -lgtest -lssl -lcrypto -lz -lbrotlidec -lbrotlienc -lbrotlicommon -pthread
}

# A process for each class of tests: one that hangs takes only its own along. Not the tests that ask
# servers on the Internet, and not the one that hangs when its server was late.
run_tests() {
    local group
    cd test || return
    # shellcheck disable=SC2046  # a list of words
    [ $# -gt 0 ] || set -- $(./suite --gtest_list_tests | sed -n 's/^\([A-Za-z0-9_]*\)\..*$/\1/p' | sort -u)
    for group; do
        timeout 300 ./suite --gtest_filter="$group.*:-*Online*:*Redirect*:*ProxyTest*:*DefaultHeaders*:*.SSLConnectTimeout" 2>&1
    done
}

results() {
    sed -nE 's/^\[ +(OK|FAILED|SKIPPED) +\] ([A-Za-z0-9_]+)\.([A-Za-z0-9_]+).* \([0-9]+ ms\)$/\2:\3\t\1/p' |
        sed 's/\tOK$/\tok/'
}
