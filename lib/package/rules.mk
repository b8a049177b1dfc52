# What others install: the module that any Lua 5.4 loads, a source archive with its rock, Debian's
# packages, a container's image. A part of the Makefile.
.PHONY: module install-module dist deb container

# Position-independent objects of its own; Lua and lua-cjson are the host's.
LUA_CDIR ?= $(PREFIX)/lib/lua/5.4
MODULE   := $(BUILD)/lua/tandem.so
module: ## build build/module/lua/tandem.so: require "tandem" in any Lua 5.4
	+@$(PARALLEL) BUILD=$(BUILD)/module EXTRA="-fPIC $(EXTRA)" $(BUILD)/module/lua/tandem.so
$(MODULE): $(filter-out $(BUILD)/obj/app/state.o,$(CORE)) $(BUILD)/obj/app/module.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -pthread $(SANITIZE) -Wl,-Bsymbolic,--exclude-libs,ALL,--build-id=sha1 -o $@.new $^ \
	  $(filter-out $(LUA_LIBS),$(LIBS)) && mv $@.new $@
install-module: module ## install it under LUA_CDIR (PREFIX/lib/lua/5.4)
	install -D -m 755 -t $(DESTDIR)$(LUA_CDIR) $(BUILD)/module/lua/tandem.so

dist: ## write build/dist/tandem-VERSION.tar.gz and a rockspec for it, of what git has at HEAD
	@lib/package/dist $(VERSION) $(BUILD)/dist
deb: ## install what is missing, build, write Debian packages into build/deb
	@tests/run-deps $(BUILD_DEPS) dpkg-dev
	+@$(PARALLEL) all
	@MAKE="$(MAKE)" lib/package/deb $(VERSION) $(BUILD)
IMAGE ?= tandem:$(VERSION)
container: ## build the container image IMAGE (tandem:VERSION) by docker or podman
	@lib/package/container $(IMAGE)
