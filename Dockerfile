# Image of the crawler: `make image`, then
#   docker run --rm -v focuscrawl:/data focuscrawl crawl maize -a site=yz88
# Secrets come from the environment (--env-file), never from the image.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY models models
COPY focuscrawl focuscrawl
RUN python -m venv /opt/focuscrawl \
    && /opt/focuscrawl/bin/pip install --no-cache-dir '.[scrapyd,web,workers]'

FROM python:3.11-slim-bookworm
# The numbers are for --user and for the owner of a mounted folder.
RUN groupadd --gid 10001 crawler \
    && useradd --uid 10001 --gid crawler --no-create-home --home-dir /data crawler \
    && install --directory --owner=crawler --group=crawler /data
COPY --from=build /opt/focuscrawl /opt/focuscrawl
ENV PATH=/opt/focuscrawl/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    SCRAPY_SETTINGS_MODULE=focuscrawl.settings \
    FOCUSCRAWL_DATA=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
ENTRYPOINT ["scrapy"]
CMD ["list"]
