# install() of man pages and completion, CPack
